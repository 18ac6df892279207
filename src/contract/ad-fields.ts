import { z } from 'zod';
import { digits, limitsOf, limitText } from './limits.ts';
import type { Counting, Rule } from './capability.ts';
import type { AdPlatform } from './platforms.ts';

/** The part of an order that a field belongs to; `identity` is who the ad appears as. */
export type AdLevel = 'campaign' | 'ad_set' | 'targeting' | 'creative' | 'identity';

interface TextLimit {
  max: number;
  counted?: Counting;
  /** Characters that another field uses up if it is given. */
  taken?: { by: string; characters: number };
}

/** Facts about a field of createAd. */
export interface FieldFacts {
  level?: AdLevel;
  /** Letters of the platforms that have the field, if not all do. */
  platforms?: string;
  /** The only campaign type that has the field, on platforms with campaign types. */
  campaignType?: 'display' | 'search';
  /** Longest text by platform; of a list, of each entry. */
  limits?: Partial<Record<AdPlatform, TextLimit>>;
  /** The advertiser declares something with it; an ad in an existing ad set has the declarations of its parents. */
  isDeclaration?: boolean;
}

const registry = z.registry<FieldFacts>();

/** A field with its facts as metadata; its limits are added to its description. */
export const field = <T extends z.ZodType>(schema: T, facts: FieldFacts, description: string): T => {
  const described = schema.describe(
    [description, ownLimits(schema, facts), platformLimits(facts)].filter(Boolean).join('; '),
  );
  registry.add(described, facts);
  return described;
};

/** The maximum of a text with limits by platform is only a bound for requests. */
function ownLimits(schema: z.ZodType, { limits }: FieldFacts): string | undefined {
  const own = limitsOf(schema);
  return limitText(limits ? { minItems: own.minItems, maxItems: own.maxItems } : own);
}

function platformLimits({ limits = {} }: FieldFacts): string {
  const each = Object.entries(limits).map(([platform, { max, taken }], at) =>
    [digits(max), at === 0 && 'characters', taken && 'with the link', `on ${platform}`].filter(Boolean).join(' '),
  );
  return each.length === 0 ? '' : `at most ${each.join(', ')}`;
}

const factsOf = (schema: z.ZodType): FieldFacts => registry.get(schema) ?? {};

/** Names of the fields of an object whose facts match. */
export const fieldsWhere = ({ shape }: z.ZodObject, matches: (facts: FieldFacts) => boolean): string[] =>
  Object.entries(shape as Record<string, z.ZodType>).flatMap(([name, schema]) =>
    matches(factsOf(schema)) ? [name] : [],
  );

/** The text limits of a platform as capability rules. */
export const limitsOn = ({ shape }: z.ZodObject, platform: AdPlatform): Extract<Rule, { max: number }>[] =>
  Object.entries(shape as Record<string, z.ZodType>).flatMap(([of, schema]) => {
    const limit = factsOf(schema).limits?.[platform];
    return limit ? [{ ...limit, of }] : [];
  });
