import { ObjectId } from '../../contract/common.ts';
import { AppError, invalidField } from '../../contract/error.ts';
import { adPlatformOf, type AdPlatform } from '../../contract/platforms.ts';
import { namedBy, namedLevels, type AdReportInput, type NamedLevel } from '../../contract/report-input.ts';
import { reporting } from '../../contract/reporting/index.ts';
import { dayOf } from '../../lib/account-time.ts';
import type { AdAccount } from '../../platforms/platform.ts';
import { requireAccount } from '../access.ts';
import { requireScopes } from '../accounts/scopes.ts';
import { adAccountsOf, requireAdAccount, toAdTarget, type AdTarget } from '../ads/ad-target.ts';
import type { Ctx } from '../context.ts';
import { recordsById, recordsOf, type RecordedObject } from './records.ts';

/** The ad account of a report, and its time zone. */
export interface Source {
  target: AdTarget;
  platform: AdPlatform;
  adAccount: AdAccount;
  timeZone: string;
  /** The current day in the time zone of the report. */
  today: string;
}

export interface NamedObjects {
  level: NamedLevel;
  /** Ids of the platform. */
  ids: string[];
}

/** The account of a report; an account without ads is not found. */
export async function reportTarget(ctx: Ctx, accountId: string): Promise<AdTarget> {
  const account = await requireAccount(ctx, accountId);
  if (!adPlatformOf(account.platform)) {
    const message = `The account ${accountId} is of platform ${account.platform}, which has no ads`;
    throw new AppError('account_not_found', message, { param: 'accountId' });
  }
  requireScopes(ctx, account, 'readFigures');
  return toAdTarget(ctx, account, 'readAds');
}

/** The ad account of a report with the days of its time zone. */
export async function sourceOf(ctx: Ctx, target: AdTarget, adAccount: AdAccount): Promise<Source> {
  const { platform } = target.adapter;
  const timeZone = reporting[platform].timeZone === 'utc' ? 'UTC' : await timeZoneOf(ctx, target, adAccount);
  return { target, platform, adAccount, timeZone, today: dayOf(ctx.clock.now(), timeZone) };
}

/** Days in another time zone would be wrong, so an unknown one is looked up again. */
async function timeZoneOf(ctx: Ctx, target: AdTarget, { id, timezone }: AdAccount): Promise<string> {
  if (timezone) return timezone;
  const renewed = await adAccountsOf(ctx, target, { refresh: true });
  const found = renewed.find((one) => one.id === id)?.timezone;
  if (found) return found;
  const { platform } = target.adapter;
  throw new AppError('platform_api_error', `Platform ${platform} reports no time zone for ad account ${id}`, {
    platform,
  });
}

/** The ids of the named objects at the platform, and their records. */
interface Resolved {
  named?: NamedObjects;
  records: RecordedObject[];
}

async function resolveNamed(ctx: Ctx, input: AdReportInput): Promise<Resolved> {
  const level = namedLevels.find((one) => input[namedBy[one]] !== undefined);
  const given = level && input[namedBy[level]];
  if (!given) return { records: [] };
  const own = given.filter((id) => ObjectId.safeParse(id).success);
  const [byId, byPlatformId] = await Promise.all([
    recordsById(ctx, input.accountId, level, own),
    recordsOf(
      ctx,
      input.accountId,
      level,
      given.filter((id) => !own.includes(id)),
    ),
  ]);
  const known = new Map(byId.map((record) => [record.id, record]));
  const ids = given.map((id, at) => {
    if (!own.includes(id)) return id;
    const found = known.get(id);
    if (found) return found.platformId;
    throw invalidField(
      `${namedBy[level]}.${at}`,
      `is not the id of a recorded ${level.replace('_', ' ')} of this account`,
    );
  });
  return { named: { level, ids: [...new Set(ids)] }, records: [...byId, ...byPlatformId.values()] };
}

/** The ad account of a report and the named objects, which must be in it. */
export async function resolveReport(ctx: Ctx, input: AdReportInput): Promise<{ source: Source; named?: NamedObjects }> {
  const target = await reportTarget(ctx, input.accountId);
  const { named, records } = await resolveNamed(ctx, input);
  const adAccount = await adAccountOf(ctx, target, input, records);
  const foreign = records.find(({ adAccountId }) => adAccountId !== adAccount.id);
  if (foreign && named) {
    const message = `names ${foreign.platformId}, which belongs to ad account ${foreign.adAccountId} and not to ${adAccount.id}`;
    throw invalidField(namedBy[named.level], message);
  }
  return { source: await sourceOf(ctx, target, adAccount), named };
}

async function adAccountOf(
  ctx: Ctx,
  target: AdTarget,
  { adAccountId }: AdReportInput,
  records: RecordedObject[],
): Promise<AdAccount> {
  if (adAccountId !== undefined) return requireAdAccount(ctx, target, adAccountId);
  const owners = [...new Set(records.map((record) => record.adAccountId))];
  const [owner] = owners;
  if (owner !== undefined && owners.length === 1) return requireAdAccount(ctx, target, owner);
  const reached = await adAccountsOf(ctx, target);
  const [only] = reached;
  if (only && reached.length === 1) return only;
  const choices = reached.map(({ id, name }) => `${id} (${name})`).join(', ') || 'none';
  throw new AppError('missing_required_field', `adAccountId: is required; the account can access ${choices}`, {
    param: 'adAccountId',
    details: { fields: { adAccountId: [`is required: ${choices}`] } },
  });
}
