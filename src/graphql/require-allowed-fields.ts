import { isEnumType, valueFromASTUntyped, type OperationDefinitionNode } from 'graphql';
import { AppError } from '../contract/error.ts';
import { findOperation } from '../operations/index.ts';
import { requireAllowed } from '../operations/operation.ts';
import { requireWrite } from '../services/access.ts';
import type { GraphContext } from './builder.ts';
import type { RootField } from './root-fields.ts';
import { schema } from './schema.ts';

type Variables = Readonly<Record<string, unknown>>;

/** Authorisation errors come before validation errors. A field among others is refused when it runs. */
export function requireAllowedFields(
  { operation }: OperationDefinitionNode,
  { fields, variables }: { fields: RootField[]; variables: Variables },
  ctx: GraphContext,
): void {
  if (operation === 'mutation') requireWrite(ctx);
  // Connect tokens are restricted to a profile too.
  if (ctx.caller.scope !== 'profiles') return;
  const named = fields.filter(({ name }) => name !== '__typename');
  if (ctx.caller.connectPlatform) for (const field of named) requireConnecting(ctx, field, variables);
  const running = named.flatMap(({ name }) => (name.startsWith('__') ? [] : [findOperation(name)]));
  const [first] = running;
  if (first && running.every((one) => one?.needsFullScope)) requireAllowed(ctx, first);
}

/** A connect token opens the fields of connecting accounts of its kind, and no other. */
function requireConnecting(ctx: GraphContext, field: RootField, variables: Variables): void {
  const operation = findOperation(field.name);
  if (operation?.connects) return requireAllowed(ctx, operation, { platform: platformIn(field, variables) });
  const message = `A connect token does not grant access to ${field.name}; use an API key`;
  throw new AppError('insufficient_permissions', message);
}

/** The platform in the input of a field, before it is parsed. */
function platformIn({ node }: RootField, variables: Variables): unknown {
  const value = node.arguments?.find(({ name }) => name.value === 'input')?.value;
  const input = value && (valueFromASTUntyped(value, variables) as { platform?: unknown } | null | undefined);
  const type = schema.getType('ConnectPlatform');
  return isEnumType(type) && typeof input?.platform === 'string' ? type.getValue(input.platform)?.value : undefined;
}
