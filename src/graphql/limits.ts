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
  directives: 50,
  operations: 50,
  tokens: 4000,
  characters: 100_000,
} as const;

/** A GraphQL error that carries one of our codes through validation. */
export const refusal = (code: ErrorCode, message: string): GraphQLError =>
  new GraphQLError(message, { originalError: new AppError(code, message) });

export interface DocumentSize {
  /** Levels of the deepest operation, through all fragments. */
  depth: number;
  aliases: number;
  directives: number;
  operations: number;
  /** Selections visited: each selection of the document once. */
  visited: number;
}

const codes = {
  depth: 'query_too_deep',
  aliases: 'too_many_aliases',
  directives: 'too_many_directives',
  operations: 'query_too_long',
} as const satisfies Partial<Record<keyof DocumentSize, ErrorCode>>;

/** Documents are cached, and each is measured once. */
const sizes = new WeakMap<DocumentNode, DocumentSize>();

/** The first exceeded limit of a document; checked before validation, because some rules take more than one pass. */
export function overLimit(document: DocumentNode): AppError | undefined {
  const size = sizes.get(document) ?? measureDocument(document);
  sizes.set(document, size);
  for (const what of ['aliases', 'directives', 'depth', 'operations'] as const) {
    if (size[what] <= graphqlLimits[what]) continue;
    const name = what === 'depth' ? 'levels of depth' : what;
    return new AppError(codes[what], `At most ${graphqlLimits[what]} ${name} are allowed, this has ${size[what]}`);
  }
  return undefined;
}

interface Walk {
  size: DocumentSize;
  fragments: Map<string, FragmentDefinitionNode>;
  /** Depth by fragment; 0 while a fragment is being measured, so that a cycle ends. */
  depths: Map<string, number>;
}

/** Counts in one pass: every fragment is measured once, even if it is spread often. */
export function measureDocument({ definitions }: DocumentNode): DocumentSize {
  const size: DocumentSize = { depth: 0, aliases: 0, directives: 0, operations: 0, visited: 0 };
  const fragments = new Map(
    definitions.flatMap((node) => (node.kind === 'FragmentDefinition' ? [[node.name.value, node]] : [])),
  );
  const walk: Walk = { size, fragments, depths: new Map() };
  for (const node of definitions) {
    if (node.kind === 'FragmentDefinition') fragmentDepth(node.name.value, walk);
    if (node.kind !== 'OperationDefinition') continue;
    size.operations += 1;
    countDirectives(node, walk);
    for (const variable of node.variableDefinitions ?? []) countDirectives(variable, walk);
    size.depth = Math.max(size.depth, depthOf(node.selectionSet, walk));
  }
  return size;
}

const depthOf = ({ selections }: SelectionSetNode, walk: Walk): number => {
  let deepest = 0;
  for (const selection of selections) deepest = Math.max(deepest, selectionDepth(selection, walk));
  return deepest;
};

function selectionDepth(node: SelectionNode, walk: Walk): number {
  walk.size.visited += 1;
  countDirectives(node, walk);
  if (node.kind === 'FragmentSpread') return fragmentDepth(node.name.value, walk);
  if (node.kind === 'InlineFragment') return depthOf(node.selectionSet, walk);
  if (node.alias) walk.size.aliases += 1;
  const below = node.selectionSet ? depthOf(node.selectionSet, walk) : 0;
  // Introspection queries are deep by nature; graphql-js has a separate rule for them.
  return node.name.value.startsWith('__') ? 1 : 1 + below;
}

function fragmentDepth(name: string, walk: Walk): number {
  const known = walk.depths.get(name);
  const fragment = walk.fragments.get(name);
  if (known !== undefined || !fragment) return known ?? 0;
  walk.depths.set(name, 0);
  countDirectives(fragment, walk);
  const depth = depthOf(fragment.selectionSet, walk);
  walk.depths.set(name, depth);
  return depth;
}

const countDirectives = ({ directives }: { directives?: readonly DirectiveNode[] }, { size }: Walk): void => {
  size.directives += directives?.length ?? 0;
};
