import { randomUUID } from 'node:crypto';
import type { BudgetLevel } from '../../src/contract/capability.ts';
import { platforms } from '../../src/contract/platforms.ts';
import { toAd } from '../../src/services/ads/to-ad.ts';
import { toAdSet, toCampaign } from '../../src/services/campaigns/to-campaign.ts';
import type { Answer, CallOptions, TestApp } from '../support/app.ts';
import { onUpstreamRequest } from '../support/upstream-requests.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import {
  budgetWrites,
  differencesOf,
  pairReader,
  type BudgetWrite,
  type Pair,
} from '../conformance/budgets-at-platform.ts';
import type { Subject } from '../conformance/platforms.ts';

/** An ad whose budget is changed while processes die. */
export interface BudgetOwner extends Pair {
  adId: string;
  level: BudgetLevel;
}

export const ownerOf = ({ _id, budgetLevel, platformCampaignId, platformAdSetId }: Answer['body']): BudgetOwner => ({
  adId: _id,
  level: budgetLevel,
  campaignId: platformCampaignId,
  adSetId: platformAdSetId,
});

/** The level of an order; the goal decides where D and F offer both. */
export function levelOf({ platform }: Subject, goal: string, random: () => number): BudgetLevel {
  const [usual, ...others] = platforms[platform].budgetLevels;
  const other = goal === 'traffic' && random() < 0.5 ? others[0] : undefined;
  return other ?? usual;
}

type Send = (path: string, options: CallOptions) => Promise<Answer | undefined>;

/** One change of budget, perhaps with a status, through the ad or through the level that carries the budget. */
export function changeOf(subject: Subject, owner: BudgetOwner, random: () => number): (send: Send) => Promise<boolean> {
  const through = owner.level === 'campaign' ? `campaigns/${owner.campaignId}` : `ad-sets/${owner.adSetId}`;
  const isAd = random() < 0.4;
  const body = {
    budgetAmount: 60 + Math.floor(random() * 40),
    ...(!isAd && { platform: subject.account }),
    ...(!isAd && random() < 0.3 && { status: random() < 0.5 ? 'PAUSED' : 'ACTIVE' }),
  };
  const headers = { 'Idempotency-Key': randomUUID() };
  return async (send) => {
    const answer = await send(`/v1/ads/${isAd ? owner.adId : through}`, { body, headers });
    return answer !== undefined && answer.status < 500 && answer.status !== 429 && answer.status !== 409;
  };
}

/** Collects all writes to the platforms, those of the ended processes too. */
export function watchWrites(): { writes: BudgetWrite[]; stop: () => void } {
  const writes: BudgetWrite[] = [];
  const stop = onUpstreamRequest(({ method, path, query, body }) => {
    if (method === 'GET' || /:search|token|upload|images|videos/.test(path)) return;
    writes.push({ method, path, body: `${body.toString()} ${query}` });
  });
  return { writes, stop };
}

export interface BudgetEvaluation {
  /** Budgets that were written to the level that does not carry them, and budgets that stand there. */
  elsewhere: string[];
  /** Records that differ from the platform after a discovery. */
  differing: string[];
}

interface Changed {
  subject: Subject;
  fixture: UserFixture;
  owners: BudgetOwner[];
  writes: BudgetWrite[];
}

/** The budgets and switches at the platform against the records. */
export async function evaluateBudgets(
  app: TestApp,
  { subject, fixture, owners, writes }: Changed,
): Promise<BudgetEvaluation> {
  const read = await pairReader(app, subject);
  const { ads, adSets, campaigns } = app.app.services.db;
  const found: BudgetEvaluation = { elsewhere: [], differing: [] };
  for (const owner of owners) {
    const { adId, campaignId, adSetId, level } = owner;
    const there = read(owner);
    const own = writes.filter(({ path, body }) => [campaignId, adSetId].some((id) => `${path} ${body}`.includes(id)));
    const others = budgetWrites(subject, owner, own).filter((other) => other !== level);
    if (others.length > 0 || there.level !== level) found.elsewhere.push(`${adId}: ${level}, ${others.join(', ')}`);
    const accountId = fixture.accountId;
    const [campaign, adSet, ad] = await Promise.all([
      campaigns.findOne({ accountId, platformCampaignId: campaignId }).lean().orFail(),
      adSets.findOne({ accountId, platformAdSetId: adSetId }).lean().orFail(),
      ads.findOne({ _id: adId }).lean().orFail(),
    ]);
    const recorded = { campaign: toCampaign(campaign), adSet: toAdSet(adSet), ad: toAd(ad) };
    const differences = differencesOf(there, recorded, new Set(['end']));
    found.differing.push(...differences.map((difference) => `${adId}: ${difference}`));
  }
  return found;
}
