import { createHash, randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/hash.ts';
import { newId } from '../../lib/id.ts';
import type { ConnectStateDoc } from '../../models/connect-state.ts';
import type { Services } from '../context.ts';

const lifeMs = 600_000;

export const newState = (): string => randomBytes(32).toString('base64url');

/** A secret that proves at the end who asked at the beginning, and what may be seen of it. */
export function newChallenge(): { verifier: string; challenge: string } {
  const verifier = randomBytes(48).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

type Begun = Omit<ConnectStateDoc, '_id' | 'stateHash' | 'sealedSecret' | 'expiresAt'>;

/** Keeps what was begun under a state; only its hash is stored. */
export async function keepState(
  { db, clock, sealer }: Services,
  begun: Begun,
  { state, secret }: { state: string; secret?: string },
): Promise<void> {
  await db.connectStates.create({
    ...begun,
    _id: newId(),
    stateHash: sha256(state),
    sealedSecret: secret === undefined ? null : sealer.seal(secret),
    expiresAt: new Date(clock.now().getTime() + lifeMs),
  });
}

/** What was begun under a state, once. */
export async function takeState({ db, clock }: Services, state: string): Promise<ConnectStateDoc | null> {
  const taken = await db.connectStates.findOneAndDelete({ stateHash: sha256(state) }).lean();
  return taken && taken.expiresAt > clock.now() ? taken : null;
}
