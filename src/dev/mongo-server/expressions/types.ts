import type { Value } from '../values.ts';

export type Variables = Record<string, Value>;

export interface Scope {
  root: Value;
  variables: Variables;
}
export type Expression = (scope: Scope) => Value;

/** An operator over evaluated arguments: minimum and maximum count, and its function. */
export type Operator = [least: number, most: number, run: (...operands: Value[]) => Value];

/** An operator that controls the evaluation and scope of its operand. */
export type Form = (operand: Value, compile: (source: Value) => Expression) => Expression;
