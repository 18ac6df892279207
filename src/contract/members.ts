import type { z } from 'zod';

/** Unwraps optional, default and similar schemas. */
export function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  const def = schema?.def as { innerType?: z.ZodType; in?: z.ZodType } | undefined;
  const inner = def?.innerType ?? def?.in;
  return inner ? unwrap(inner) : schema;
}

const shapeOf = (schema: z.ZodType | undefined): Record<string, z.ZodType> =>
  (unwrap(schema)?.def as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {};

export const keysOf = (schema: z.ZodType | undefined): string[] => Object.keys(shapeOf(schema));

export function memberOf(schema: z.ZodType | undefined, step: string): z.ZodType | undefined {
  const shape = shapeOf(schema);
  if (Object.hasOwn(shape, step)) return shape[step];
  return (unwrap(schema)?.def as { element?: z.ZodType } | undefined)?.element;
}
