import type { Value } from '../values.ts';

export type Variables = Record<string, Value>;

export interface Scope {
  root: Value;
  variables: Variables;
}
export type Expression = (scope: Scope) => Value;

/** An operator over evaluated arguments: the least and the greatest number of them, and what it does. */
export type Operator = [least: number, most: number, run: (...operands: Value[]) => Value];

/** An operator that decides itself what of its operand is evaluated, and in which scope. */
export type Form = (operand: Value, compile: (source: Value) => Expression) => Expression;
