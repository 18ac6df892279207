import {
  coerceInputValue,
  GraphQLError,
  isInputType,
  isNonNullType,
  typeFromAST,
  visit,
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { AppError, invalidInput, maxProblems, type Problem } from '../contract/error.ts';

type Path = readonly (string | number)[];

/** Argument `input` holds the body, so it is no part of a path that REST would use. */
const dotted = (path: Path): string => (path[0] === 'input' && path.length > 1 ? path.slice(1) : path).join('.');

const isMissing = 'is required';
const unknownName = /Field "(\w+)" is not defined by type/;

/** One of graphql-js's own complaints about a value, in our codes; its words stay. `path` ends at an unknown field. */
function problemOf(message: string, path: Path): Problem {
  if (message === isMissing) return { code: 'missing_required_field', path: dotted(path), message };
  const missing = /Field "(?:\w+\.)?(\w+)" of required type/.exec(message)?.[1];
  if (missing) return { code: 'missing_required_field', path: dotted([...path, missing]), message };
  const argument = /argument "(\w+)" of type ".*" is required/i.exec(message)?.[1];
  if (argument) return { code: 'missing_required_field', path: dotted([argument]), message };
  if (unknownName.test(message)) return { code: 'unknown_field', path: dotted(path), message };
  const isNull = /Expected (non-nullable type|value of type ".*!").* (not to be|found) null/.test(message);
  return { code: isNull ? 'missing_required_field' : 'invalid_field_value', path: dotted(path), message };
}

/** Thrown through graphql-js to stop its validation early. */
const enough = new Error('enough problems');

/** Problems of the variables, each with its path; empty if all are valid. Stops once there are too many. */
export function variableProblems(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): Problem[] {
  let places: Map<string, Path> | undefined;
  const placeOf = (name: string): Path => (places ??= placesOfVariables(operation)).get(name) ?? [name];
  const problems: Problem[] = [];
  const add = (problem: Problem): void => {
    problems.push(problem);
    if (problems.length > maxProblems) throw enough;
  };
  try {
    for (const definition of operation.variableDefinitions ?? []) {
      const name = definition.variable.name.value;
      reportVariable(schema, definition, Object.hasOwn(values, name) ? values[name] : undefined, (message, path) =>
        add(problemOf(message, [...placeOf(name), ...path])),
      );
    }
  } catch (error) {
    if (error !== enough) throw error;
  }
  return problems;
}

function reportVariable(
  schema: GraphQLSchema,
  { type: node, defaultValue }: VariableDefinitionNode,
  value: unknown,
  report: (message: string, path: Path) => void,
): void {
  const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]);
  if (!type || !isInputType(type)) return;
  if (value === undefined || value === null) {
    if (isNonNullType(type) && (value === null || !defaultValue)) report(isMissing, []);
    return;
  }
  coerceInputValue(value, type, (path, _value, { message }) => {
    const unknown = unknownName.exec(message)?.[1];
    report(message, [...path, ...(unknown ? [unknown] : [])]);
  });
}

const aboutValues =
  /of required type|is not defined by type|cannot represent|Expected value of type|does not exist in ".*" enum|Enum ".*"|must be written as|is required, but it was not provided/;

/** Validation errors about literal values become one 400 with paths; everything else is a fault of the document. */
export function documentError(document: DocumentNode, errors: readonly GraphQLError[]): AppError {
  const coded = errors.find((error) => error.originalError instanceof AppError);
  if (coded?.originalError instanceof AppError) return coded.originalError;
  const deep = errors.find(({ message }) => message === 'Maximum introspection depth exceeded');
  if (deep) return new AppError('query_too_deep', deep.message);
  const problems = errors.filter((error) => aboutValues.test(error.message));
  if (problems.length < errors.length) {
    const said = new Set(errors.map((error) => error.message));
    return new AppError('invalid_graphql_request', [...said].slice(0, 10).join(' '));
  }
  const nodes = new Set(problems.flatMap(({ nodes: [node] = [] }) => (node ? [node] : [])));
  const places = placesOf(document, nodes);
  return invalidInput(problems.map(({ message, nodes: [node] = [] }) => problemOf(message, placeIn(places, node))));
}

const placeIn = (places: Map<ASTNode, Path>, node: ASTNode | undefined): Path => (node && places.get(node)) ?? [];

/** The paths of values within their argument (input fields and list indexes), collected in one pass. */
function placesOf(document: DocumentNode, requested: ReadonlySet<ASTNode>): Map<ASTNode, Path> {
  const places = new Map<ASTNode, Path>();
  eachNode(document, (node, chain) => {
    if (requested.has(node)) places.set(node, stepsOf(chain()));
  });
  return places;
}

/** The input paths that variables are used at, as in REST. Excludes variables that only fragments use. */
function placesOfVariables({ selectionSet }: OperationDefinitionNode): Map<string, Path> {
  const places = new Map<string, Path>();
  eachNode(selectionSet, (node, chain) => {
    if (node.kind === 'Variable' && !places.has(node.name.value)) places.set(node.name.value, stepsOf(chain()));
  });
  return places;
}

function eachNode(root: ASTNode, look: (node: ASTNode, chain: () => ASTNode[]) => void): void {
  visit(root, {
    enter(node, _key, parent, _path, ancestors) {
      look(node, () => [
        ...[...ancestors, parent].flatMap((part) => (Array.isArray(part) ? [] : [part as ASTNode])),
        node,
      ]);
    },
  });
}

const stepsOf = (chain: ASTNode[]): Path => chain.flatMap((part, at) => stepOf(part, chain[at - 1]));

function stepOf(node: ASTNode, parent: ASTNode | undefined): (string | number)[] {
  const named = node.kind === 'Argument' || node.kind === 'ObjectField' ? [node.name.value] : [];
  return parent?.kind === 'ListValue' ? [parent.values.indexOf(node as never), ...named] : named;
}
