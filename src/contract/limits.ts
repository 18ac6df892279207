import { z } from 'zod';

/** The keywords of JSON Schema that limit a value, from the checks of a schema or from its metadata. */
export interface LimitKeywords {
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  enum?: unknown[];
  items?: LimitKeywords;
  anyOf?: LimitKeywords[];
}

export const digits = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ' ');

function range(min: number | undefined, max: number | undefined, unit = ''): string | undefined {
  const isOpen = max === undefined || max === Number.MAX_SAFE_INTEGER;
  const hasMinimum = min !== undefined && min !== Number.MIN_SAFE_INTEGER && !(min === 0 && unit);
  if (isOpen) return hasMinimum && !unit ? `from ${digits(min)}` : undefined;
  return `${hasMinimum ? `${digits(min)} to` : 'at most'} ${digits(max)}${unit}`;
}

/** The limits of a value in words, such as `1 to 255 characters`. */
export function limitText({ anyOf, items, ...own }: LimitKeywords): string | undefined {
  const numbers = own.enum?.filter((value) => typeof value === 'number') ?? [];
  if (numbers.length > 1) return `${numbers.slice(0, -1).join(', ')} or ${numbers.at(-1)}`;
  const entries = range(own.minItems, own.maxItems ?? own.maxProperties, ' entries');
  const each = items && limitText(items);
  if (entries) return each ? `${entries} of ${each}` : entries;
  return (
    range(own.minLength, own.maxLength, ' characters') ??
    range(own.minimum, own.maximum) ??
    anyOf?.map(limitText).find((text) => text !== undefined)
  );
}

export const limitsOf = (schema: z.ZodType): LimitKeywords =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as LimitKeywords;

/** Describes a schema and adds its limits, so that no description repeats them: `Search text; 1 to 200 characters`. */
export const withLimits = <T extends z.ZodType>(schema: T, description = ''): T =>
  schema.describe([description, limitText(limitsOf(schema))].filter(Boolean).join('; '));
