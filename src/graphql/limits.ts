import {
  GraphQLError,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { AppError, type ErrorCode } from '../contract/error.ts';

export const graphqlLimits = {
  depth: 12,
  aliases: 30,
  aliasLength: 100,
  directives: 50,
  operations: 50,
  tokens: 4000,
  characters: 100_000,
  introspection: 100_000,
} as const;

/** A GraphQL error that carries one of our codes through validation. */
export const refusal = (code: ErrorCode, message: string): GraphQLError =>
  new GraphQLError(message, { originalError: new AppError(code, message) });

export interface DocumentSize {
  /** Levels of the deepest operation, through all fragments. */
  depth: number;
  aliases: number;
  /** Characters of the longest alias, which the response repeats for each entry of a list. */
  aliasLength: number;
  directives: number;
  operations: number;
  /** Points of `__schema` and `__type`, about the number of values in their responses. */
  introspection: number;
  /** Selections visited: each selection of the document once. */
  visited: number;
}

const codes = {
  depth: 'query_too_deep',
  aliases: 'too_many_aliases',
  aliasLength: 'query_too_long',
  directives: 'too_many_directives',
  operations: 'query_too_long',
  introspection: 'query_too_costly',
} as const satisfies Partial<Record<keyof DocumentSize, ErrorCode>>;

const names = {
  depth: 'levels of depth',
  aliases: 'aliases',
  aliasLength: 'characters in an alias',
  directives: 'directives',
  operations: 'operations',
  introspection: 'points of introspection',
} as const satisfies Record<keyof typeof codes, string>;

/** Documents are cached, and each is measured once. */
const sizes = new WeakMap<DocumentNode, DocumentSize>();

/** The first exceeded limit of a document; checked before validation, because some rules take more than one pass. */
export const overLimit = (document: DocumentNode): AppError | undefined =>
  firstOver(document, ['aliases', 'aliasLength', 'directives', 'depth', 'operations']);

/** For a valid document, whose introspection lists are not nested too deeply. */
export const tooMuchIntrospection = (document: DocumentNode): AppError | undefined =>
  firstOver(document, ['introspection']);

function firstOver(document: DocumentNode, limits: (keyof typeof codes)[]): AppError | undefined {
  const size = sizes.get(document) ?? measureDocument(document);
  sizes.set(document, size);
  const what = limits.find((one) => size[one] > graphqlLimits[one]);
  if (what === undefined) return undefined;
  return new AppError(codes[what], `At most ${graphqlLimits[what]} ${names[what]} are allowed, this has ${size[what]}`);
}

interface Walk {
  size: DocumentSize;
  fragments: Map<string, FragmentDefinitionNode>;
  /** By fragment; `nothing` while a fragment is being measured, so that a cycle ends. */
  measured: Map<string, Part>;
}

interface Part {
  depth: number;
  /** Its points if it is part of an introspection. */
  points: number;
}

const nothing: Part = { depth: 0, points: 0 };

/** About how many values the fields of introspection have in this schema. Few types have a type inside. */
const valuesOf = new Map([
  ['types', 100],
  ['fields', 10],
  ['inputFields', 10],
  ['enumValues', 10],
  ['directives', 10],
  ['args', 4],
  ['ofType', 0.5],
]);

/** Counts in one pass: every fragment is measured once, even if it is spread often. */
export function measureDocument({ definitions }: DocumentNode): DocumentSize {
  const size: DocumentSize = {
    depth: 0,
    aliases: 0,
    aliasLength: 0,
    directives: 0,
    operations: 0,
    introspection: 0,
    visited: 0,
  };
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === 'FragmentDefinition' ? [[node.name.value, node]] : [])),
  );
  const walk: Walk = { size, fragments, measured: new Map() };
  for (const node of definitions) {
    if (node.kind === 'FragmentDefinition') measureFragment(node.name.value, walk);
    if (node.kind !== 'OperationDefinition') continue;
    size.operations += 1;
    countDirectives(node, walk);
    for (const variable of node.variableDefinitions ?? []) countDirectives(variable, walk);
    size.depth = Math.max(size.depth, measureSet(node.selectionSet, walk).depth);
  }
  return size;
}

function measureSet({ selections }: SelectionSetNode, walk: Walk): Part {
  const whole = { ...nothing };
  for (const selection of selections) {
    const { depth, points } = measureSelection(selection, walk);
    whole.depth = Math.max(whole.depth, depth);
    whole.points += points;
  }
  return whole;
}

function measureSelection(node: SelectionNode, walk: Walk): Part {
  walk.size.visited += 1;
  countDirectives(node, walk);
  if (node.kind === 'FragmentSpread') return measureFragment(node.name.value, walk);
  if (node.kind === 'InlineFragment') return measureSet(node.selectionSet, walk);
  if (node.alias) {
    walk.size.aliases += 1;
    walk.size.aliasLength = Math.max(walk.size.aliasLength, node.alias.value.length);
  }
  const below = node.selectionSet ? measureSet(node.selectionSet, walk) : nothing;
  const { value: name } = node.name;
  const points = (valuesOf.get(name) ?? 1) * (1 + below.points);
  if (name === '__schema' || name === '__type') walk.size.introspection += Math.ceil(points);
  // Introspection queries are deep by nature; graphql-js has a separate rule for them.
  return { depth: name.startsWith('__') ? 1 : 1 + below.depth, points };
}

function measureFragment(name: string, walk: Walk): Part {
  const known = walk.measured.get(name);
  const fragment = walk.fragments.get(name);
  if (known !== undefined || !fragment) return known ?? nothing;
  walk.measured.set(name, nothing);
  countDirectives(fragment, walk);
  const part = measureSet(fragment.selectionSet, walk);
  walk.measured.set(name, part);
  return part;
}

const countDirectives = ({ directives }: { directives?: readonly DirectiveNode[] }, { size }: Walk): void => {
  size.directives += directives?.length ?? 0;
};
