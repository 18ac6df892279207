import { z } from 'zod';
import { ObjectId } from '../contract/common.ts';
import { parseInput } from '../contract/parse.ts';
import { PauseEverythingInput, StopInput, type Stop } from '../contract/stop.ts';
import { findStop, listStops } from '../services/stops/find-stop.ts';
import { liftStop } from '../services/stops/lift-stop.ts';
import { pauseEverything } from '../services/stops/start-stop.ts';
import type { Command, Flags, Printed } from './commands.ts';
import { operatorFor, type LocalServices } from './services.ts';

const OfUser = z.strictObject({ userId: ObjectId });

/** The operator acts for the user of `--user`; the other flags are the input. */
async function split(services: LocalServices, { userId, ...input }: Flags) {
  const owner = parseInput(OfUser, { userId });
  return { ctx: await operatorFor(services, owner.userId), input };
}

const printed = ({ _id, ...stop }: Stop): Printed => ({ id: _id, ...stop });

/** Emergency stops: a worker of the running service pauses the campaigns. */
export const stopCommands: Record<string, Command> = {
  stop: {
    usage: '--user ID --account ID|--ad-account ID|--key ID [--external]',
    about:
      'pauses every running campaign there, with --external also those made elsewhere, and refuses activations until it is lifted',
    takes: ['userId', 'accountId', 'adAccountId', 'keyId', 'includeExternal'],
    run: async (services, flags) => {
      const { ctx, input } = await split(services, flags);
      return printed((await pauseEverything(ctx, parseInput(PauseEverythingInput, input))).stop);
    },
  },
  'stop list': {
    usage: '--user ID',
    about: 'the stops of a user that are in force, newest first',
    takes: ['userId'],
    run: async (services, flags) => {
      const { ctx } = await split(services, flags);
      return { id: 'stops', ...(await listStops(ctx, { inForce: true })) };
    },
  },
  'stop show': {
    usage: '--user ID --stop ID',
    about: 'the progress of a stop, and what it could not pause',
    takes: ['userId', 'stopId'],
    run: async (services, flags) => {
      const { ctx, input } = await split(services, flags);
      return printed((await findStop(ctx, parseInput(StopInput, input))).stop);
    },
  },
  'stop lift': {
    usage: '--user ID --stop ID',
    about: 'allows activations again; what the stop paused stays paused',
    takes: ['userId', 'stopId'],
    run: async (services, flags) => {
      const { ctx, input } = await split(services, flags);
      return printed((await liftStop(ctx, parseInput(StopInput, input))).stop);
    },
  },
};
