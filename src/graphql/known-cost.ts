import {
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';

/** Documents whose operations cost the same whatever their variables are; false if they do not. */
const fixedCosts = new WeakMap<DocumentNode, boolean>();
/** Operations of such documents that have run without an error, so they are within the limit. */
const affordable = new WeakSet<OperationDefinitionNode>();

export const isAffordable = (operation: OperationDefinitionNode | undefined): boolean =>
  operation !== undefined && affordable.has(operation);

/** Remembers an operation of a valid document that has run without an error. */
export function rememberAffordable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): void {
  if (affordable.has(operation)) return;
  let isFixed = fixedCosts.get(document);
  if (isFixed === undefined) fixedCosts.set(document, (isFixed = hasFixedCost(schema, document)));
  if (isFixed) affordable.add(operation);
}

/** Whether no variable is in an argument of a field whose cost depends on its arguments. */
function hasFixedCost(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let isFixed = true;
  const Variable = (): void => {
    const costs = types.getFieldDef()?.extensions['complexity'];
    if (types.getArgument() && typeof costs === 'function') isFixed = false;
  };
  visit(document, visitWithTypeInfo(types, { Variable }));
  return isFixed;
}
