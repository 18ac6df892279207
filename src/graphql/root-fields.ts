import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

export interface RootField {
  name: string;
  /** Its name in the answer. */
  key: string;
  node: FieldNode;
}

type Values = Readonly<Record<string, unknown>>;

/** The root fields of operations that run the same ones whatever their variables are. */
const fixed = new WeakMap<OperationDefinitionNode, RootField[]>();

/** Known once `rootFields` has run. */
export const hasFixedRootFields = (operation: OperationDefinitionNode): boolean => fixed.has(operation);

/** The root fields that an operation runs, each response name once, including those in fragments. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode, variables: Values): RootField[] {
  const known = fixed.get(operation);
  if (known) return known;
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === 'FragmentDefinition' ? [[node.name.value, node]] : [])),
  );
  const values = { ...defaultsOf(operation), ...variables };
  const fields = new Map<string, RootField>();
  let isFixed = true;
  // As in execution, spreading a fragment again has no effect.
  const spread = new Set<FragmentDefinitionNode>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (hasVariableCondition(node)) isFixed = false;
      if (isLeftOut(node, values)) continue;
      if (node.kind === 'InlineFragment') collect(node.selectionSet);
      else if (node.kind === 'Field') {
        const key = node.alias?.value ?? node.name.value;
        if (!fields.has(key)) fields.set(key, { name: node.name.value, key, node });
      } else {
        const fragment = fragments.get(node.name.value);
        if (!fragment || spread.has(fragment)) continue;
        spread.add(fragment);
        collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  const found = [...fields.values()];
  if (isFixed) fixed.set(operation, found);
  return found;
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Values =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === 'BooleanValue' ? [[variable.name.value, defaultValue.value]] : [],
    ),
  );

const isLeftOut = (node: SelectionNode, values: Values): boolean =>
  conditionOf(node, 'skip', values) === true || conditionOf(node, 'include', values) === false;

const hasVariableCondition = ({ directives = [] }: SelectionNode): boolean =>
  directives.some((one) => one.arguments?.some(({ value }) => value.kind === 'Variable'));

function conditionOf({ directives }: SelectionNode, name: string, values: Values): unknown {
  const directive = directives?.find((one) => one.name.value === name);
  const condition = directive?.arguments?.find((argument) => argument.name.value === 'if')?.value;
  if (condition?.kind === 'Variable') return values[condition.name.value];
  return condition?.kind === 'BooleanValue' ? condition.value : undefined;
}
