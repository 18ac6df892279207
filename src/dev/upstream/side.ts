import { ObjectId } from '../../contract/common.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import { openServices } from '../../cli/environment.ts';
import { PlatformEnvironment, platformsConfig } from '../../config/platforms.ts';
import { systemClock } from '../../lib/clock.ts';
import { createPlatforms, type PlatformsConfig } from '../../platforms/registry.ts';
import type { Access, AdsAdapter } from '../../platforms/platform.ts';
import type { MediaSource } from '../../platforms/media.ts';
import { accessFor } from '../../services/accounts/platform-access.ts';
import { createLog } from '../../telemetry/log.ts';
import { connectionFacts, createSandboxConnection } from '../connect-sandbox.ts';
import { startSandbox } from '../sandbox/index.ts';
import { sandboxSettings } from '../sandbox/settings.ts';
import type { Side } from './check.ts';
import { dialects } from './dialects.ts';
import { createAd } from './sandbox-ad.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A mistake of the operator, printed without a stack. */
export class UsageError extends Error {}

export interface Credentials {
  platform: AdPlatform;
  /** The variable that carries the token. */
  tokenEnv: string;
  /** A connected account of the configured database, instead of a token. */
  accountId?: string;
}

const alsoRequired: Partial<Record<AdPlatform, string[]>> = {
  B: ['PLATFORM_B_DEVELOPER_TOKEN'],
  E: ['PLATFORM_E_CLIENT_ID', 'PLATFORM_E_CLIENT_SECRET', 'UPSTREAM_TOKEN_SECRET'],
};

/** The live platform with the operator's own credentials. */
export async function liveSide(environment: Environment, credentials: Credentials): Promise<Side> {
  const { platform, tokenEnv, accountId } = credentials;
  const held = accountId === undefined ? [tokenEnv] : [];
  const required = [...held, 'UPSTREAM_AD_ACCOUNT', ...(alsoRequired[platform] ?? [])].filter(
    (name) => accountId === undefined || name !== 'UPSTREAM_TOKEN_SECRET',
  );
  const missing = required.filter((name) => !environment[name]);
  if (missing.length > 0) throw new UsageError(`Not set: ${missing.join(', ')}. See docs/verify-platforms.md.`);
  const config = configOf(environment);
  const access =
    accountId === undefined ? accessOf(environment, credentials) : await storedAccess(environment, accountId);
  const kinds = platform === 'A' ? ['network-a', 'network-b'] : [dialects[platform].account];
  if (!kinds.includes(access.accountPlatform))
    throw new UsageError(`The account ${accountId} is one of ${access.accountPlatform}, not of platform ${platform}.`);
  return sideOf({ platform, config, access, given: environment }, environment['UPSTREAM_AD_ACCOUNT']);
}

function configOf(environment: Environment): PlatformsConfig {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const parsed = PlatformEnvironment.safeParse(set);
  if (parsed.success) return platformsConfig(parsed.data);
  throw new UsageError(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
}

const bare = { platformState: {}, keep: () => Promise.resolve(), clock: systemClock };

const accessOf = (environment: Environment, { platform, tokenEnv }: Credentials): Access => ({
  ...bare,
  accountPlatform: dialects[platform].account,
  token: environment[tokenEnv] ?? '',
  tokenSecret: environment['UPSTREAM_TOKEN_SECRET'],
  pageId: environment['UPSTREAM_PAGE'],
  platformAccountId: '',
  displayName: 'verify',
});

/** Reads and decrypts the token; one that has ended is left to the service, which knows how to renew it. */
async function storedAccess(environment: Environment, accountId: string): Promise<Access> {
  if (!ObjectId.safeParse(accountId).success) throw new UsageError('--account must be the id of a connected account.');
  const services = await openServices(environment, {});
  try {
    const account = await services.db.accounts.findById(accountId).lean();
    if (!account) throw new UsageError(`There is no account ${accountId}.`);
    const hasEnded =
      !account.encryptedAdsToken && (account.tokenExpiresAt?.getTime() ?? Infinity) < Date.now() + 120_000;
    if (hasEnded)
      throw new UsageError(`The token of ${accountId} has ended: let the service renew it by a call first.`);
    return { ...(await accessFor(services, account)), ...bare };
  } finally {
    await services.close();
  }
}

async function sideOf(parts: Omit<Side, 'adapter' | 'adAccount'>, requested: string | undefined): Promise<Side> {
  const adapter = adapterOf(parts);
  const all = await adapter.listAdAccounts(parts.access);
  const plain = (id: string): string => id.replace(/^act_/, '').replaceAll('-', '');
  const adAccount = requested === undefined ? all[0] : all.find(({ id }) => plain(id) === plain(requested));
  if (adAccount) return { ...parts, adapter, adAccount };
  throw new UsageError(`The token has no access to the ad account ${requested}. It has ${all.length} others.`);
}

function adapterOf({ platform, config }: Pick<Side, 'platform' | 'config'>): AdsAdapter {
  const adapter = createPlatforms(config, { media, log: createLog('error') })[platform];
  if (!adapter) throw new Error(`There is no adapter for ${platform}`);
  return adapter;
}

/** Only the sandbox is asked to take media, its own samples. */
const media: MediaSource = {
  fetch: async (url) => ({ bytes: await bytesAt(url), release: () => undefined }),
  spool: async (url) => {
    const bytes = await bytesAt(url);
    const read = async (first: number, last: number): Promise<Buffer> => bytes.subarray(first, last + 1);
    return { size: bytes.length, read, close: async () => undefined };
  },
  peek: (url) => bytesAt(url),
};
const bytesAt = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(url)).arrayBuffer());

/** Stand-ins for the ids that an operator gives; the sandbox checks only their form. */
const anyIds = {
  UPSTREAM_APP: '1234567890',
  UPSTREAM_STORE_URL: 'https://play.google.com/store/apps/details?id=com.example',
  UPSTREAM_LEAD_FORM: '1234567890',
  UPSTREAM_PIXEL: '1234567890',
};

/** A connection to a sandbox with one ad, for answers to compare with. */
export async function sandboxSide(url: string, { platform, config }: Pick<Side, 'platform' | 'config'>): Promise<Side> {
  const { account } = dialects[platform];
  const made = await createSandboxConnection({ sandboxUrl: url, platform: account });
  const { token, adsToken, adsTokenSecret, pageId, photoAccountId, ...facts } = connectionFacts(
    account,
    made,
    new Date(),
  );
  const access: Access = {
    ...bare,
    ...facts,
    accountPlatform: account,
    token: adsToken ?? token ?? '',
    tokenSecret: adsTokenSecret ?? undefined,
    pageId: pageId ?? undefined,
    photoAccountId: photoAccountId ?? undefined,
  };
  const same = { [`PLATFORM_${platform}_VERSION`]: config[platform].version, PLATFORM_D_CALLS_PER_SECOND: '1000' };
  const first = made.adAccounts?.[0] as { audienceId?: string } | undefined;
  const given = { ...anyIds, UPSTREAM_PAGE: pageId ?? undefined, UPSTREAM_AUDIENCE: first?.audienceId };
  const own = { platform, config: configOf({ ...sandboxSettings(url), ...same }), access, given };
  const side = await sideOf(own, made.adAccounts?.[0]?.id);
  await createAd(side, `${url}/media`);
  return side;
}

export { startSandbox };
