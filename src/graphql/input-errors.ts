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
const dotted = (path: Path): string => (path[0] === 'input' ? path.slice(1) : path).join('.');

/** One of graphql-js's own complaints about a value, in our codes; its words stay. */
function problemOf(message: string, path: Path): Problem {
  const missing = /Field "(?:\w+\.)?(\w+)" of required type/.exec(message)?.[1];
  if (missing) return { code: 'missing_required_field', path: dotted([...path, missing]), message };
  const argument = /argument "(\w+)" of type ".*" is required/i.exec(message)?.[1];
  if (argument) return { code: 'missing_required_field', path: dotted([argument]), message };
  const unknown = /Field "(\w+)" is not defined by type/.exec(message)?.[1];
  if (unknown) return { code: 'unknown_field', path: dotted([...path, unknown]), message };
  return { code: 'invalid_field_value', path: dotted(path), message };
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
    const value = values[name];
    if (value === undefined || value === null) {
      if (isNonNullType(type) && (value === null || !defaultValue)) {
        problems.push({ code: 'missing_required_field', path: dotted([name]), message: 'is required' });
      }
      continue;
    }
    coerceInputValue(value, type, (path, _value, error) => problems.push(problemOf(error.message, [name, ...path])));
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
    return new AppError('invalid_graphql_request', errors.map((error) => error.message).join(' '));
  }
  return invalidInput(problems.map((error) => problemOf(error.message, pathOf(document, error.nodes?.[0]))));
}

/** Where a value stands in its argument: names of input fields and positions in lists. */
function pathOf(document: DocumentNode, target: ASTNode | undefined): Path {
  let found: Path = [];
  visit(document, {
    enter(node, _key, parent, _path, ancestors) {
      if (node !== target) return undefined;
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
