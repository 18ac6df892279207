import { z } from 'zod';
import { ObjectId } from '../contract/common.ts';
import { parseInput } from '../contract/parse.ts';
import type { Ctx, Services } from '../services/context.ts';
import type { Flags } from './command.ts';
import { operatorFor } from './services.ts';

const Owner = z.strictObject({ userId: ObjectId });

/** The user of `--user` as the caller, and the other flags, unchecked: that there is no such user is reported first. */
export async function forOwner(services: Services, { userId, ...input }: Flags): Promise<{ ctx: Ctx; input: Flags }> {
  return { ctx: await operatorFor(services, parseInput(Owner, { userId }).userId), input };
}
