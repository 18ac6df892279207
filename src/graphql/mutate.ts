import type { GraphQLResolveInfo } from 'graphql';
import { idempotent } from '../services/idempotency.ts';
import type { GraphContext } from './builder.ts';

interface MutationCall {
  info: GraphQLResolveInfo;
  input: unknown;
  /** Members of the answer that are shown once and never stored. */
  secrets?: string[];
  /** A dry run does not use the Idempotency-Key. */
  isDryRun?: boolean;
}

/** A mutation under the request's Idempotency-Key; several fields in one request get `key:alias` each. */
export async function mutate<T extends object>(
  ctx: GraphContext,
  { info, input, secrets, isDryRun }: MutationCall,
  run: (newId: string) => Promise<T>,
): Promise<T> {
  const mutations = ctx.rootFields?.filter(({ name }) => name !== '__typename') ?? [];
  const suffix = mutations.length === 1 ? '' : `:${info.path.key}`;
  const idempotencyKey = isDryRun ? undefined : ctx.idempotencyKey && `${ctx.idempotencyKey}${suffix}`;
  const operation = info.fieldName;
  const { value, replayed } = await idempotent({ ...ctx, idempotencyKey }, { operation, input, secrets }, run);
  if (replayed) ctx.setHeader('Idempotent-Replayed', 'true');
  return value;
}
