import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** Whether a field of this name is selected anywhere below a field. */
export function selectsBelow({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const seen = new Set<string>();
  const isIn = ({ selections }: SelectionSetNode): boolean =>
    selections.some((node) => {
      if (node.kind === 'FragmentSpread') {
        const { value } = node.name;
        const fragment = seen.has(value) ? undefined : fragments[value];
        seen.add(value);
        return fragment !== undefined && isIn(fragment.selectionSet);
      }
      if (node.kind === 'Field' && node.name.value === name) return true;
      return node.selectionSet !== undefined && isIn(node.selectionSet);
    });
  return fieldNodes.some(({ selectionSet }) => selectionSet !== undefined && isIn(selectionSet));
}
