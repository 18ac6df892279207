import type {
  DocumentNode,
  FragmentDefinitionNode,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

export interface RootField {
  name: string;
  /** Its name in the answer. */
  key: string;
}

type Values = Readonly<Record<string, unknown>>;

/** The root fields that an operation runs, each response name once, including those in fragments. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode, variables: Values): RootField[] {
  const fragments = new Map(
    document.definitions.flatMap((node) => (node.kind === 'FragmentDefinition' ? [[node.name.value, node]] : [])),
  );
  const values = { ...defaultsOf(operation), ...variables };
  const fields = new Map<string, RootField>();
  // As in execution, spreading a fragment again has no effect.
  const spread = new Set<FragmentDefinitionNode>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (isLeftOut(node, values)) continue;
      if (node.kind === 'InlineFragment') collect(node.selectionSet);
      else if (node.kind === 'Field') {
        const key = node.alias?.value ?? node.name.value;
        if (!fields.has(key)) fields.set(key, { name: node.name.value, key });
      } else {
        const fragment = fragments.get(node.name.value);
        if (!fragment || spread.has(fragment)) continue;
        spread.add(fragment);
        collect(fragment.selectionSet);
      }
    }
  };
  collect(operation.selectionSet);
  return [...fields.values()];
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode): Values =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue?.kind === 'BooleanValue' ? [[variable.name.value, defaultValue.value]] : [],
    ),
  );

const isLeftOut = (node: SelectionNode, values: Values): boolean =>
  conditionOf(node, 'skip', values) === true || conditionOf(node, 'include', values) === false;

function conditionOf({ directives }: SelectionNode, name: string, values: Values): unknown {
  const directive = directives?.find((one) => one.name.value === name);
  const condition = directive?.arguments?.find((argument) => argument.name.value === 'if')?.value;
  if (condition?.kind === 'Variable') return values[condition.name.value];
  return condition?.kind === 'BooleanValue' ? condition.value : undefined;
}
