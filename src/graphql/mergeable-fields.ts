import {
  GraphQLError,
  print,
  type ASTVisitor,
  type FieldNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql';
import { refusal } from './limits.ts';

const maxSelections = 10_000;

/**
 * Replaces OverlappingFieldsCanBeMerged of graphql-js, which compares every pair of fields and fragments. Without
 * abstract types equality is transitive, so each field is compared only with the first of the same response name.
 */
export function mergeableFieldsRule(context: ValidationContext): ASTVisitor {
  let visited = 0;
  const spend = (): boolean => (visited += 1) <= maxSelections;
  return {
    OperationDefinition(operation) {
      if (!checkOperation(operation, context, spend)) {
        const message = `A document may have at most ${maxSelections} fields with all fragments expanded`;
        context.reportError(refusal('query_too_costly', message));
      }
      return false;
    },
    FragmentDefinition: () => false,
  };
}

/** Returns false if the budget is used up. Checks all selection sets at one response path together and once. */
function checkOperation(operation: OperationDefinitionNode, context: ValidationContext, spend: () => boolean): boolean {
  const ids = new Map<SelectionSetNode, number>();
  const idOf = (set: SelectionSetNode): number => ids.get(set) ?? (ids.set(set, ids.size), ids.size - 1);
  const known = new Set<string>();
  const open = [[operation.selectionSet]];
  for (let sets = open.pop(); sets; sets = open.pop()) {
    const key = sets.map(idOf).join();
    if (known.has(key)) continue;
    known.add(key);
    const fields = fieldsByName(sets, context, spend);
    if (!fields) return false;
    for (const same of fields.values()) {
      reportConflict(same, context);
      const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) open.push(below);
    }
  }
  return true;
}

/** The fields of selection sets by response name; visits each fragment once. */
function fieldsByName(
  sets: readonly SelectionSetNode[],
  context: ValidationContext,
  spend: () => boolean,
): Map<string, FieldNode[]> | undefined {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const open = [...sets];
  for (let set = open.pop(); set; set = open.pop()) {
    for (const node of set.selections) {
      if (!spend()) return undefined;
      if (node.kind === 'InlineFragment') open.push(node.selectionSet);
      else if (node.kind === 'Field') {
        const name = node.alias?.value ?? node.name.value;
        const same = fields.get(name);
        if (same) same.push(node);
        else fields.set(name, [node]);
      } else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        const fragment = context.getFragment(node.name.value);
        if (fragment) open.push(fragment.selectionSet);
      }
    }
  }
  return fields;
}

function reportConflict([first, ...others]: FieldNode[], context: ValidationContext): void {
  if (!first || others.length === 0) return;
  const args = argumentsOf(first);
  const other = others.find((node) => node.name.value !== first.name.value || argumentsOf(node) !== args);
  if (!other) return;
  const why =
    other.name.value === first.name.value
      ? 'they have differing arguments'
      : `"${first.name.value}" and "${other.name.value}" are different fields`;
  const name = first.alias?.value ?? first.name.value;
  const message = `Fields "${name}" conflict because ${why}. Use different aliases on the fields to fetch both if this was intentional.`;
  context.reportError(new GraphQLError(message, { nodes: [first, other] }));
}

const argumentsOf = ({ arguments: args = [] }: FieldNode): string =>
  args
    .map(({ name, value }) => `${name.value}:${textOf(value)}`)
    .sort()
    .join();

/** A canonical string for a value, independent of the order of its fields. */
function textOf(value: ValueNode): string {
  if (value.kind === 'ListValue') return `[${value.values.map(textOf).join()}]`;
  if (value.kind !== 'ObjectValue') return print(value);
  const fields = value.fields.map((field) => `${field.name.value}:${textOf(field.value)}`);
  return `{${fields.sort().join()}}`;
}
