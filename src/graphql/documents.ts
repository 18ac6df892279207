import {
  OverlappingFieldsCanBeMergedRule,
  parse,
  validate,
  type DocumentNode,
  type ParseOptions,
  type Source,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { graphqlLimits, refusal } from './limits.ts';
import { mergeableFieldsRule } from './mergeable-fields.ts';

/** Reads a document; one that nests deeper than the parser's stack is refused like any other that is too deep. */
export function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  const { length } = typeof source === 'string' ? source : source.body;
  if (length > graphqlLimits.characters) {
    const message = `At most ${graphqlLimits.characters} characters are allowed, this has ${length}; put long texts into variables`;
    throw refusal('query_too_long', message);
  }
  try {
    return parse(source, { ...options, maxTokens: graphqlLimits.tokens });
  } catch (error) {
    throw error instanceof RangeError ? refusal('query_too_deep', 'The document nests too deeply to be read') : error;
  }
}

/** Validates with graphql-js' rules, but for the one whose work grows with the square of the document. */
export const validateBounded: typeof validate = (schema, document, rules = [], ...more) => {
  const linear = rules.filter((rule) => rule.name !== OverlappingFieldsCanBeMergedRule.name);
  return validate(schema, document, [...linear, mergeableFieldsRule], ...more);
};

/** A parsed document takes some hundred times its text, so the caches are bounded by the text that they hold. */
const cachedCharacters = 250_000;

const cacheOf = <T extends object>() =>
  new LRUCache<string, T>({ maxSize: cachedCharacters, sizeCalculation: (_value, text) => text.length + 1 });

export const documentCaches = { documentCache: cacheOf<DocumentNode>(), errorCache: cacheOf<Error>() };
