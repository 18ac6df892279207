import { expect } from 'vitest';
import type { RemovalMode } from '../../src/contract/capability.ts';
import type { Answer, TestApp } from '../support/app.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { atPlatform, objectsAt } from './budgets-at-platform.ts';
import { goodAdOf, type Entry, type Subject } from './platforms.ts';

export type Level = 'ad' | 'ad_set' | 'campaign';
export const levels: Level[] = ['ad', 'ad_set', 'campaign'];
export const pastOf: Record<RemovalMode, 'deleted' | 'archived'> = { delete: 'deleted', archive: 'archived' };

type Ad = Answer['body'];

/** A new ad in a campaign of its own. */
export async function placedAd(app: TestApp, subject: Subject, fixture: UserFixture, extra: object = {}): Promise<Ad> {
  const body = { ...goodAdOf(app, subject, fixture), ...extra };
  const answer = await app.call('POST', '/v1/ads/create', { key: fixture.key, body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.ad;
}

/** The address of an ad, its ad set or its campaign, with the query of a removal. */
export function removalPath(subject: Subject, ad: Ad, level: Level, query: Record<string, unknown> = {}): string {
  const parameters = { ...(level !== 'ad' && { platform: subject.account }), ...query };
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const path = {
    ad: ad._id,
    ad_set: `ad-sets/${ad.platformAdSetId}`,
    campaign: `campaigns/${ad.platformCampaignId}`,
  }[level];
  return `/v1/ads/${path}?${search.toString()}`;
}

/** Whether a write pauses an object, removes one, or does something else. */
export function writeKind({ method, body }: Pick<Entry, 'method' | 'body'>): 'pause' | 'remove' | 'other' {
  const text = JSON.stringify(body);
  if (method === 'DELETE' || /"(DELETED|DELETE|ARCHIVED|PENDING_DELETION)"|"remove":/.test(text)) return 'remove';
  return /"(PAUSED|DISABLE)"/.test(text) ? 'pause' : 'other';
}

const kindOf = { ad: 'ad', ad_set: 'adSet', campaign: 'campaign' } as const;

/** How an object is at its platform, read from the sandbox without an adapter. */
export async function stateAt(
  app: TestApp,
  subject: Subject,
  ad: Ad,
  level: Level,
): Promise<'live' | 'deleted' | 'archived'> {
  const kind = subject.kinds[kindOf[level]];
  const id = { ad: ad.platformAdId, ad_set: ad.platformAdSetId, campaign: ad.platformCampaignId }[level];
  const idOf = (object: Record<string, unknown>): string =>
    String(
      object[`${kind}_id`] ??
        String(object['resourceName'] ?? object['id'])
          .split('/')
          .at(-1),
    );
  const found = (await objectsAt(app, subject, kind)).find((object) => idOf(object) === String(id));
  if (!found || found['deleted'] === true) return 'deleted';
  const fields = { ...(found['fields'] as object | undefined), ...found } as Record<string, unknown>;
  const words = ['status', 'intendedStatus', 'secondary_status'].map((member) => fields[member]).join(' ');
  if (/DELETE|REMOVED|PENDING_DELETION/.test(words)) return 'deleted';
  return words.includes('ARCHIVED') ? 'archived' : 'live';
}

/** Removes an object past the service, as its owner does. */
export const removeAtPlatform = (
  app: TestApp,
  subject: Subject,
  { fixture, ad, level, mode }: { fixture: UserFixture; ad: Ad; level: Level; mode: RemovalMode },
): Promise<void> =>
  atPlatform(app, subject, {
    fixture,
    run: async (adapter, access) => {
      const adAccounts = await adapter.listAdAccounts(access);
      const adAccount = adAccounts.find(({ id }) => id === ad.platformAdAccountId);
      if (!adAccount) throw new Error(`The connection has no ad account ${ad.platformAdAccountId}`);
      const ref = {
        adAccount,
        campaignId: ad.platformCampaignId,
        ...(level !== 'campaign' && { adSetId: ad.platformAdSetId }),
        ...(level === 'ad' && { adId: ad.platformAdId }),
      };
      const removable = await adapter.readRemovable(access, ref);
      if (!removable) throw new Error(`The ${level} is not at the platform`);
      await adapter.remove(access, ref, { mode, removable });
    },
  });
