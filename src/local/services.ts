import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { createSealer } from '../lib/seal.ts';
import { connectDb } from '../models/db.ts';
import type { Services } from '../services/context.ts';

/** The services that the command line and the demo need: the store and the seal, no platforms and no Redis. */
export async function localServices(mongoUri: string, sealingKeys: string): Promise<Services & { close: () => Promise<void> }> {
  const log = createLog('error');
  const db = await connectDb(mongoUri, log);
  return {
    db,
    log,
    platforms: {},
    clock: systemClock,
    sealer: createSealer(sealingKeys.split(',')),
    markKeyRevoked: () => Promise.resolve(),
    nudge: () => undefined,
    close: () => db.close(),
  };
}
