import {
  GraphQLError,
  OverlappingFieldsCanBeMergedRule,
  parse,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ParseOptions,
  type Source,
  type ValidationRule,
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
    if (error instanceof RangeError) throw refusal('query_too_deep', 'The document is nested too deeply');
    if (!(error instanceof GraphQLError && /\d+ tokens/.test(error.message))) throw error;
    throw refusal('query_too_long', `At most ${graphqlLimits.tokens} tokens are allowed, the document has more`);
  }
}

/** Validates with the rules of graphql-js except the one that takes quadratic time. */
export const validateBounded: typeof validate = (schema, document, rules = [], ...more) => {
  const linear = rules.filter((rule) => rule.name !== OverlappingFieldsCanBeMergedRule.name);
  return validate(schema, document, [...linear, mergeableFieldsRule], ...more);
};

/** The documents of callers, each parsed and validated once while it is cached. */
export interface Documents {
  /** Throws if the document cannot be parsed. */
  parse: (source: string) => DocumentNode;
  validate: (document: DocumentNode) => readonly GraphQLError[];
}

/** A parsed document takes about a hundred times the memory of its source, so the length of the sources limits the cache. */
const cachedCharacters = 250_000;

export function createDocuments(schema: GraphQLSchema, rules: readonly ValidationRule[]): Documents {
  const parsed = new LRUCache<string, DocumentNode | Error>({
    maxSize: cachedCharacters,
    sizeCalculation: (_value, source) => source.length + 1,
  });
  const validated = new WeakMap<DocumentNode, readonly GraphQLError[]>();
  const attempt = (source: string): DocumentNode | Error => {
    try {
      return parseBounded(source);
    } catch (error) {
      return error as Error;
    }
  };
  return {
    parse(source) {
      let known = parsed.get(source);
      if (!known) parsed.set(source, (known = attempt(source)));
      if (known instanceof Error) throw known;
      return known;
    },
    validate(document) {
      let errors = validated.get(document);
      if (!errors) validated.set(document, (errors = validateBounded(schema, document, rules)));
      return errors;
    },
  };
}
