import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';

interface Running {
  operation: OperationDefinitionNode;
  fragments: Record<string, FragmentDefinitionNode | undefined>;
  variableValues: Record<string, unknown>;
}

export interface RootField {
  name: string;
  /** Its name in the answer. */
  key: string;
}

/** The fields of the root that a request runs, wherever in the document they stand. */
export function rootFields({ operation, fragments, variableValues }: Running): RootField[] {
  const isOut = (node: SelectionNode): boolean =>
    getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] === true ||
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] === false;
  const fieldsIn = (selections: readonly SelectionNode[]): RootField[] =>
    selections.flatMap((node) => {
      if (isOut(node)) return [];
      if (node.kind === 'InlineFragment') return fieldsIn(node.selectionSet.selections);
      if (node.kind === 'FragmentSpread') return fieldsIn(fragments[node.name.value]?.selectionSet.selections ?? []);
      return [{ name: node.name.value, key: node.alias?.value ?? node.name.value }];
    });
  return fieldsIn(operation.selectionSet.selections);
}
