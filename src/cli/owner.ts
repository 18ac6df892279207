import { z } from 'zod';
import { ObjectId } from '../contract/common.ts';
import { parseInput } from '../contract/parse.ts';
import type { Ctx, Services } from '../services/context.ts';
import type { Flags } from './command.ts';
import { operatorFor } from './services.ts';

const Owner = z.strictObject({ userId: ObjectId });

/** The user of `--user`, for whom the operator acts, before the other flags are checked: they may depend on the user. */
export async function forOwner(services: Services, { userId, ...input }: Flags): Promise<{ ctx: Ctx; input: Flags }> {
  return { ctx: await operatorFor(services, parseInput(Owner, { userId }).userId), input };
}
