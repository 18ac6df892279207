import {
  BREAK,
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
} from 'graphql';
import { AppError, invalidInput, type Problem } from '../contract/error.ts';

type Path = readonly (string | number)[];

/** Argument `input` holds the body, so it is no part of a path that REST would use. */
const dotted = (path: Path): string => (path[0] === 'input' && path.length > 1 ? path.slice(1) : path).join('.');

const unknownName = /Field "(\w+)" is not defined by type/;

/** One of graphql-js's own complaints about a value, in our codes; its words stay. `path` ends at an unknown field. */
function problemOf(message: string, path: Path): Problem {
  const missing = /Field "(?:\w+\.)?(\w+)" of required type/.exec(message)?.[1];
  if (missing) return { code: 'missing_required_field', path: dotted([...path, missing]), message };
  const argument = /argument "(\w+)" of type ".*" is required/i.exec(message)?.[1];
  if (argument) return { code: 'missing_required_field', path: dotted([argument]), message };
  if (unknownName.test(message)) return { code: 'unknown_field', path: dotted(path), message };
  const isNull = /Expected (non-nullable type|value of type ".*!").* (not to be|found) null/.test(message);
  return { code: isNull ? 'missing_required_field' : 'invalid_field_value', path: dotted(path), message };
}

/** Problems of the variables, each with its path; empty when all of them fit. */
export function variableProblems(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  values: Readonly<Record<string, unknown>>,
): Problem[] {
  const problems: Problem[] = [];
  for (const { variable, type: node, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]);
    if (!type || !isInputType(type)) continue;
    const place = placeOf(operation, name);
    const value = values[name];
    if (value === undefined || value === null) {
      if (isNonNullType(type) && (value === null || !defaultValue)) {
        problems.push({ code: 'missing_required_field', path: dotted(place), message: 'is required' });
      }
      continue;
    }
    coerceInputValue(value, type, (path, _value, { message }) => {
      const unknown = unknownName.exec(message)?.[1];
      problems.push(problemOf(message, [...place, ...path, ...(unknown ? [unknown] : [])]));
    });
  }
  return problems;
}

const aboutValues =
  /of required type|is not defined by type|cannot represent|Expected value of type|does not exist in ".*" enum|Enum ".*"|must be written as|is required, but it was not provided/;

/** Validation errors about literal values become one 400 with paths; everything else is a fault of the document. */
export function documentError(document: DocumentNode, errors: readonly GraphQLError[]): AppError {
  const coded = errors.find((error) => error.originalError instanceof AppError);
  if (coded?.originalError instanceof AppError) return coded.originalError;
  const problems = errors.filter((error) => aboutValues.test(error.message));
  if (problems.length < errors.length) {
    const said = new Set(errors.map((error) => error.message));
    return new AppError('invalid_graphql_request', [...said].slice(0, 10).join(' '));
  }
  return invalidInput(problems.map((error) => problemOf(error.message, pathOf(document, error.nodes?.[0]))));
}

/** Where a value stands in its argument: names of input fields and positions in lists. */
const pathOf = (document: DocumentNode, target: ASTNode | undefined): Path =>
  pathWhere(document, (node) => node === target) ?? [];

/** Where a variable goes, as callers of REST would say it; its own name when it is used in a fragment only. */
const placeOf = ({ selectionSet }: OperationDefinitionNode, name: string): Path =>
  pathWhere(selectionSet, (node) => node.kind === 'Variable' && node.name.value === name) ?? [name];

function pathWhere(root: ASTNode, isTarget: (node: ASTNode) => boolean): Path | undefined {
  let found: Path | undefined;
  visit(root, {
    enter(node, _key, parent, _path, ancestors) {
      if (!isTarget(node)) return undefined;
      const chain = [...[...ancestors, parent].flatMap((part) => (Array.isArray(part) ? [] : [part as ASTNode])), node];
      found = chain.flatMap((part, at) => stepOf(part, chain[at - 1]));
      return BREAK;
    },
  });
  return found;
}

function stepOf(node: ASTNode, parent: ASTNode | undefined): (string | number)[] {
  const named = node.kind === 'Argument' || node.kind === 'ObjectField' ? [node.name.value] : [];
  return parent?.kind === 'ListValue' ? [parent.values.indexOf(node as never), ...named] : named;
}
