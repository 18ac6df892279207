import {
  OverlappingFieldsCanBeMergedRule,
  parse,
  validate,
  type DocumentNode,
  type GraphQLError,
  type ParseOptions,
  type Source,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { graphqlLimits, refusal } from './limits.ts';
import { mergeableFieldsRule } from './mergeable-fields.ts';

/** Parses a document. One that overflows the parser's stack is rejected as too deep. */
export function parseBounded(source: string | Source, options?: ParseOptions): DocumentNode {
  const { length } = typeof source === 'string' ? source : source.body;
  if (length > graphqlLimits.characters) {
    const message = `At most ${graphqlLimits.characters} characters are allowed, the document has ${length}; put long texts into variables`;
    throw refusal('query_too_long', message);
  }
  try {
    return parse(source, { ...options, maxTokens: graphqlLimits.tokens });
  } catch (error) {
    throw error instanceof RangeError ? refusal('query_too_deep', 'The document is nested too deeply') : error;
  }
}

/** Validates with the rules of graphql-js except the one that takes quadratic time. */
export const validateBounded: typeof validate = (schema, document, rules = [], ...more) => {
  const linear = rules.filter((rule) => rule.name !== OverlappingFieldsCanBeMergedRule.name);
  return validate(schema, document, [...linear, mergeableFieldsRule], ...more);
};

/**
 * Validates each cached document once, for a server whose schema and rules never change. It replaces the cache of Yoga, which
 * joins the names of all rules and sets a timer for each request.
 */
export function createValidator(): typeof validate {
  const results = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  return (schema, document, ...more) => {
    const errors = results.get(document) ?? validateBounded(schema, document, ...more);
    results.set(document, errors);
    return errors;
  };
}

/** A parsed document takes about a hundred times the memory of its source, so the length of the sources limits the caches. */
const cachedCharacters = 250_000;

const cacheOf = <T extends object>() =>
  new LRUCache<string, T>({ maxSize: cachedCharacters, sizeCalculation: (_value, text) => text.length + 1 });

export const documentCaches = {
  documentCache: cacheOf<DocumentNode>(),
  errorCache: cacheOf<Error>(),
  validationCache: false,
};
