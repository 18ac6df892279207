import type { z } from 'zod';
import { unwrap } from './members.ts';

interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
}

function completed(schema: z.ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const core = unwrap(schema) ?? schema;
  const { type, shape, element } = core.def as Definition;
  if (type === 'object' && shape) {
    const members = value as Record<string, unknown>;
    return Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, completed(member, members[name])]));
  }
  return type === 'array' && element ? (value as unknown[]).map((entry) => completed(element, entry)) : value;
}

/** A stored value with all members of an output object: those that are not known are null, others are left out. */
export const complete = <S extends z.ZodObject>(schema: S, value: object | null | undefined): z.output<S> | null =>
  completed(schema, value) as z.output<S> | null;
