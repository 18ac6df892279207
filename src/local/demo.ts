import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../lib/id.ts';
import type { UserDoc } from '../models/user.ts';
import type { Services } from '../services/context.ts';
import { storeNewKey } from '../services/api-keys/new-key.ts';
import { createUser } from '../services/users/create-user.ts';
import { connectSandboxAccount } from './connect-sandbox.ts';

export interface Demo {
  url: string;
  apiKey: string;
  userId: string;
  profiles: { id: string; name: string }[];
  accounts: Record<string, { accountId: string; adAccountId: string }>;
  sandboxUrl: string;
}

const email = 'demo@example.com';
const demoPath = (dataDir: string): string => join(dataDir, 'demo.json');

export function readDemo(dataDir: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(demoPath(dataDir), 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

/** The demo user, once: a start that was killed half-way is finished by the next one. */
export async function seedDemo(services: Services, dataDir: string, addresses: Pick<Demo, 'url' | 'sandboxUrl'>): Promise<Demo> {
  const known = readDemo(dataDir);
  const demo = known ? { ...known, ...addresses } : await makeDemo(services, addresses);
  writeFileSync(demoPath(dataDir), `${JSON.stringify(demo, undefined, 2)}\n`, { mode: 0o600 });
  return demo;
}

async function makeDemo(services: Services, addresses: Pick<Demo, 'url' | 'sandboxUrl'>): Promise<Demo> {
  const { db } = services;
  const user: UserDoc =
    (await db.users.findOne({ email }).lean()) ?? (await createUser(services, { email, name: 'Demo', plan: 'usage-based' }));
  const profiles = await demoProfiles(services, user._id);
  const [profile] = profiles;
  if (!profile) throw new Error('The demo user has no profile');
  const { account, adAccountId } = await connectSandboxAccount(services, {
    sandboxUrl: addresses.sandboxUrl,
    userId: user._id,
    profileId: profile.id,
    platform: 'network-a',
  });
  const { key } = await storeNewKey(services, newId(), {
    userId: user._id,
    name: 'demo',
    scope: 'full',
    profileIds: [],
    permission: 'read-write',
    expiresAt: null,
  });
  return { ...addresses, apiKey: key, userId: user._id, profiles, accounts: { 'network-a': { accountId: account._id, adAccountId } } };
}

async function demoProfiles({ db }: Services, userId: string): Promise<Demo['profiles']> {
  await db.profiles.updateOne(
    { userId, slot: 2 },
    { $setOnInsert: { _id: newId(), userId, name: 'Second brand', slot: 2 } },
    { upsert: true },
  );
  const profiles = await db.profiles.find({ userId }).sort({ slot: 1 }).lean();
  return profiles.map(({ _id, name }) => ({ id: _id, name }));
}
