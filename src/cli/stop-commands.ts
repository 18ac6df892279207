import { parseInput } from '../contract/parse.ts';
import { PauseEverythingInput, StopInput, type Stop } from '../contract/stop.ts';
import { findStop, listStops } from '../services/stops/find-stop.ts';
import { liftStop } from '../services/stops/lift-stop.ts';
import { pauseEverything } from '../services/stops/start-stop.ts';
import type { Command, Printed } from './command.ts';
import { forOwner } from './owner.ts';

const printed = ({ _id, ...stop }: Stop): Printed => ({ id: _id, ...stop });

/** Emergency stops: a worker of the running service pauses the campaigns. */
export const stopCommands: Record<string, Command> = {
  stop: {
    usage: '--user ID --account ID|--ad-account ID|--key ID [--external]',
    about:
      'pauses every running campaign there, with --external also those made elsewhere, and refuses activations until it is lifted',
    takes: ['userId', 'accountId', 'adAccountId', 'keyId', 'includeExternal'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      return printed((await pauseEverything(ctx, parseInput(PauseEverythingInput, input))).stop);
    },
  },
  'stop list': {
    usage: '--user ID',
    about: 'the stops of a user that are in force, newest first',
    takes: ['userId'],
    run: async (services, flags) => {
      const { ctx } = await forOwner(services, flags);
      return { id: 'stops', ...(await listStops(ctx, { inForce: true })) };
    },
  },
  'stop show': {
    usage: '--user ID --stop ID',
    about: 'the progress of a stop, and what it could not pause',
    takes: ['userId', 'stopId'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      return printed((await findStop(ctx, parseInput(StopInput, input))).stop);
    },
  },
  'stop lift': {
    usage: '--user ID --stop ID',
    about: 'allows activations again; what the stop paused stays paused',
    takes: ['userId', 'stopId'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      return printed((await liftStop(ctx, parseInput(StopInput, input))).stop);
    },
  },
};
