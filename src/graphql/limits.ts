import type { ASTVisitor, FragmentDefinitionNode, SelectionSetNode, ValidationContext } from 'graphql';
import { GraphQLError } from 'graphql';
import { AppError, type ErrorCode } from '../contract/error.ts';

export const graphqlLimits = { depth: 12, aliases: 30, directives: 50, tokens: 4000 } as const;

/** A GraphQL error that carries one of our codes through validation. */
export const refusal = (code: ErrorCode, message: string): GraphQLError =>
  new GraphQLError(message, { originalError: new AppError(code, message) });

/** Refuses documents that are deep, full of aliases or full of directives. */
export function limitsRule(context: ValidationContext): ASTVisitor {
  let aliases = 0;
  let directives = 0;
  return {
    Field: (node) => {
      if (node.alias) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
    Document: {
      leave: () => {
        if (aliases > graphqlLimits.aliases) context.reportError(over('too_many_aliases', 'aliases', aliases));
        if (directives > graphqlLimits.directives)
          context.reportError(over('too_many_directives', 'directives', directives));
      },
    },
    OperationDefinition: (node) => {
      const depth = depthOf(node.selectionSet, (name) => context.getFragment(name) ?? undefined, new Set());
      if (depth > graphqlLimits.depth) context.reportError(over('query_too_deep', 'depth', depth));
    },
  };
}

const over = (code: ErrorCode, what: keyof typeof graphqlLimits, found: number): GraphQLError =>
  refusal(
    code,
    `At most ${graphqlLimits[what]} ${what === 'depth' ? 'levels of depth' : what} are allowed, this has ${found}`,
  );

type FragmentOf = (name: string) => FragmentDefinitionNode | undefined;

/** Introspection nests deeply by nature and is not counted. */
function depthOf(set: SelectionSetNode, fragmentOf: FragmentOf, seen: Set<string>): number {
  let deepest = 0;
  for (const selection of set.selections) {
    if (selection.kind === 'Field') {
      const below =
        selection.selectionSet && !selection.name.value.startsWith('__') ? selection.selectionSet : undefined;
      deepest = Math.max(deepest, 1 + (below ? depthOf(below, fragmentOf, seen) : 0));
    } else if (selection.kind === 'InlineFragment') {
      deepest = Math.max(deepest, depthOf(selection.selectionSet, fragmentOf, seen));
    } else if (!seen.has(selection.name.value)) {
      const fragment = fragmentOf(selection.name.value);
      const inside = new Set(seen).add(selection.name.value);
      if (fragment) deepest = Math.max(deepest, depthOf(fragment.selectionSet, fragmentOf, inside));
    }
  }
  return deepest;
}
