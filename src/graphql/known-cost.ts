import type { OperationDefinitionNode } from 'graphql';

/** Operations without variables that have run without an error: they cost the same each time, so they are within the limit. */
const affordable = new WeakSet<OperationDefinitionNode>();

export const isAffordable = (operation: OperationDefinitionNode | undefined): boolean =>
  operation !== undefined && affordable.has(operation);

export function rememberAffordable(operation: OperationDefinitionNode | undefined): void {
  if (operation && !operation.variableDefinitions?.length) affordable.add(operation);
}
