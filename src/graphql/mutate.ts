import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  type GraphQLResolveInfo,
  type SelectionNode,
} from 'graphql';
import { idempotent } from '../services/idempotency.ts';
import type { GraphContext } from './builder.ts';

interface MutationCall {
  info: GraphQLResolveInfo;
  input: unknown;
  /** Members of the answer that are shown once and never stored. */
  secrets?: string[];
  /** A dry run leaves the key alone. */
  isDryRun?: boolean;
}

/** A mutation under the request's Idempotency-Key; several fields in one request get `key:alias` each. */
export async function mutate<T extends object>(
  ctx: GraphContext,
  { info, input, secrets, isDryRun }: MutationCall,
  run: (newId: string) => Promise<T>,
): Promise<T> {
  const suffix = runningFields(info).size === 1 ? '' : `:${info.path.key}`;
  const idempotencyKey = isDryRun ? undefined : ctx.idempotencyKey && `${ctx.idempotencyKey}${suffix}`;
  const operation = info.fieldName;
  const { value, replayed } = await idempotent({ ...ctx, idempotencyKey }, { operation, input, secrets }, run);
  if (replayed) ctx.setHeader('Idempotent-Replayed', 'true');
  return value;
}

/** The response names of the mutation fields that this request runs, wherever in the document they stand. */
function runningFields({ operation, fragments, variableValues }: GraphQLResolveInfo): Set<string> {
  const isOut = (node: SelectionNode): boolean =>
    getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] === false;
  const namesIn = (selections: readonly SelectionNode[]): string[] =>
    selections.flatMap((node) => {
      if (isOut(node)) return [];
      if (node.kind === 'InlineFragment') return namesIn(node.selectionSet.selections);
      if (node.kind === 'FragmentSpread') return namesIn(fragments[node.name.value]?.selectionSet.selections ?? []);
      return node.name.value === '__typename' ? [] : [node.alias?.value ?? node.name.value];
    });
  return new Set(namesIn(operation.selectionSet.selections));
}
