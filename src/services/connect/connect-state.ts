import { createHash, randomBytes } from 'node:crypto';
import type { AccountPlatform } from '../../contract/platforms.ts';
import { canonicalJson, sha256 } from '../../lib/hash.ts';
import { newId } from '../../lib/id.ts';
import type { ConnectStateDoc } from '../../models/connect-state.ts';
import { earlier } from '../api-keys/lifetime.ts';
import type { Ctx, Services } from '../context.ts';
import { stateOutcome, stateSecret } from '../encryption/bindings.ts';

const lifeMs = 600_000;

export const newState = (): string => randomBytes(32).toString('base64url');

/** A secret that proves at the callback who started the flow, and its public part. */
export function newChallenge(): { verifier: string; challenge: string } {
  const verifier = randomBytes(48).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

type Made = '_id' | 'stateHash' | 'encryptedSecret' | 'answerHash' | 'encryptedOutcome' | 'endsAt' | 'expiresAt';
type Begun = Omit<ConnectStateDoc, Made>;

/** Stores a connect flow under a state, of which only the hash is stored. */
export async function storeState(
  { db, clock, encrypter, caller: { endsAt } }: Ctx,
  begun: Begun,
  { state, secret }: { state: string; secret?: string },
): Promise<void> {
  const _id = newId();
  await db.connectStates.create({
    ...begun,
    _id,
    stateHash: sha256(state),
    encryptedSecret: secret === undefined ? null : encrypter.encrypt(secret, stateSecret(_id)),
    endsAt: endsAt ?? null,
    expiresAt: earlier(new Date(clock.now().getTime() + lifeMs), endsAt) ?? undefined,
  });
}

const waitMs = 100;
const maxWaitMs = 20_000;

type Params = Record<string, string>;
const callbackHashOf = (params: Params): string => sha256(canonicalJson(params));

/** The connect flow of a state, and whether this callback is the first or a repeated one. */
export type Taken = { begun: ConnectStateDoc; outcome?: string } | undefined;

/**
 * Claims the connect flow of a state for the first callback. An identical callback, as from a reloaded page, returns the
 * outcome of the first and connects nothing; any other callback is rejected.
 */
export async function claimState(
  { db, clock, encrypter }: Services,
  platform: AccountPlatform,
  params: Params,
): Promise<Taken> {
  const stateHash = sha256(params['state'] ?? '');
  const callbackHash = callbackHashOf(params);
  const isAlive = { stateHash, platform, expiresAt: { $gt: clock.now() } };
  const begun = await db.connectStates.findOne(isAlive).lean();
  // A process without the encryption key leaves the callback to another.
  if (begun?.encryptedSecret) encrypter.decrypt(begun.encryptedSecret, stateSecret(begun._id));
  const first = await db.connectStates
    .findOneAndUpdate(
      { ...isAlive, answerHash: null },
      { $set: { answerHash: callbackHash } },
      { returnDocument: 'after' },
    )
    .lean();
  if (first) return { begun: first };
  for (let waited = 0; waited < maxWaitMs; waited += waitMs) {
    const answered = await db.connectStates.findOne({ ...isAlive, answerHash: callbackHash }).lean();
    if (!answered) return undefined;
    const { _id, encryptedOutcome } = answered;
    if (encryptedOutcome) return { begun: answered, outcome: encrypter.decrypt(encryptedOutcome, stateOutcome(_id)) };
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  return undefined;
}

/** Stores the outcome of a callback until its state expires. */
export async function storeOutcome(
  { db, encrypter }: Services,
  { _id }: ConnectStateDoc,
  outcome: string,
): Promise<void> {
  await db.connectStates.updateOne(
    { _id },
    { $set: { encryptedOutcome: encrypter.encrypt(outcome, stateOutcome(_id)) } },
  );
}
