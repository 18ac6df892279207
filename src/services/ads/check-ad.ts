import { requestShape, type CreateAdInput } from '../../contract/ad.ts';
import type { Warning } from '../../contract/common.ts';
import type { Problem } from '../../contract/error.ts';
import { platforms, type AccountPlatform, type AdPlatform, type Capability, type When } from '../../contract/platforms.ts';
import type { AdAccount } from '../../platforms/platform.ts';
import { checkMoney } from './check-money.ts';
import { lengthOf } from './text-length.ts';
import { targetsEu } from './targets-eu.ts';

/** What the rules need to know besides the request. */
export interface AdFacts {
  platform: AdPlatform;
  accountPlatform: AccountPlatform;
  adAccount: AdAccount;
  currencyFactor: (currency: string) => number;
  now: Date;
  hasPage: boolean;
  /** F: the account or the ad account is a company page. */
  hasOrganization?: boolean;
  /** D: an identity is stored from an earlier ad. */
  hasBrandIdentity?: boolean;
}

export interface Verdict {
  problems: Problem[];
  warnings: Warning[];
}

const missing = (path: string, message: string): Problem => ({ code: 'missing_required_field', path, message });
const wrong = (path: string, message: string): Problem => ({ code: 'invalid_field_value', path, message });
const because = (why?: string): string => (why ? `: ${why}` : '');

/** Every rule of the platform, in one pass over its row of the capability table: all problems at once. */
export function checkAd(input: CreateAdInput, facts: AdFacts): Verdict {
  const row: Capability = platforms[facts.platform];
  const shape = requestShape(input);
  if (!row.shapes.includes(shape)) return { problems: [wrongShape(input)], warnings: [] };
  const isNow = (when?: When): boolean => holds(when, input, facts);
  const ignored = row.ignored.filter(({ field, when }) => valueAt(input, field) !== undefined && isNow(when));
  const problems = [
    ...foreignFields(input, facts),
    ...choices(input, row, facts.platform),
    ...rules(input, row, { isNow, skip: new Set(ignored.map(({ field }) => field)) }),
    ...searchTexts(input, facts.platform),
    ...checkMoney(input, row, facts),
    ...endDate(input, facts.now),
    ...(facts.platform === 'A' && !facts.hasPage ? [wrong('accountId', 'the account has no connected page, and ads speak for a page')] : []),
  ];
  const warnings = ignored.map(({ field, why }) => ({ param: field, message: `was left aside: ${why}` }));
  return { problems, warnings: [...warnings, ...bidWarning(input, facts.platform)] };
}

const wrongShape = (input: CreateAdInput): Problem =>
  wrong(input.adSetId ? 'adSetId' : 'creatives', `is only for platform A (${platforms.A.accounts.join(', ')})`);

/** Fields that belong to other platforms, or on B to the other kind of campaign. */
function foreignFields(input: CreateAdInput, { platform }: AdFacts): Problem[] {
  const rows = Object.entries(platforms) as [AdPlatform, Capability][];
  const owned = new Set(rows.flatMap(([, { owns }]) => owns));
  const foreign = [...owned].filter((field) => valueAt(input, field) !== undefined && !platforms[platform].owns.includes(field as never));
  const others = foreign.map((field) => {
    const takers = rows.filter(([, { owns }]) => owns.includes(field)).map(([name]) => name);
    return wrong(field, `is not for platform ${platform}; it is for ${takers.join(', ')}`);
  });
  return platform === 'B' ? [...others, ...otherCampaignType(input)] : others;
}

const searchOnly = ['keywords', 'additionalHeadlines', 'additionalDescriptions'] as const;
const displayOnly = ['images', 'businessName', 'longHeadline'] as const;

function otherCampaignType(input: CreateAdInput): Problem[] {
  const type = input.campaignType ?? 'display';
  const foreign = type === 'display' ? searchOnly : displayOnly;
  return foreign
    .filter((field) => input[field] !== undefined)
    .map((field) => wrong(field, `is only for campaignType ${type === 'display' ? 'search' : 'display'}`));
}

function choices(input: CreateAdInput, row: Capability, platform: AdPlatform): Problem[] {
  const offers: [keyof CreateAdInput, readonly string[]][] = [
    ['goal', row.goals],
    ['bidStrategy', row.bidStrategies],
    ['callToAction', row.callsToAction],
  ];
  const isIgnored = (field: string): boolean => row.ignored.some((entry) => entry.field === field && !entry.when);
  const unknown = offers.filter(([field, known]) => {
    const value = input[field];
    return value !== undefined && !isIgnored(field) && !known.includes(String(value));
  });
  const bids = platform === 'B' ? bidOnB(input) : [];
  return [...unknown.map(([field, known]) => wrong(field, `platform ${platform} takes ${known.join(', ')}`)), ...bids];
}

const capGoals = { LOWEST_COST_WITH_BID_CAP: ['traffic', 'engagement', 'awareness'], COST_CAP: ['lead_generation', 'conversions'] };

function bidOnB({ bidStrategy, goal }: CreateAdInput): Problem[] {
  if (bidStrategy !== 'LOWEST_COST_WITH_BID_CAP' && bidStrategy !== 'COST_CAP') return [];
  const allowed = capGoals[bidStrategy];
  return goal && !allowed.includes(goal) ? [wrong('bidStrategy', `${bidStrategy} goes only with the goals ${allowed.join(', ')}`)] : [];
}

const bidWarning = ({ goal, bidAmount }: CreateAdInput, platform: AdPlatform): Warning[] =>
  platform === 'B' && goal === 'awareness' && bidAmount === undefined
    ? [{ param: 'bidAmount', message: "the platform needs a ceiling for awareness: the day's budget is it" }]
    : [];

function rules(input: CreateAdInput, row: Capability, { isNow, skip }: { isNow: (when?: When) => boolean; skip: Set<string> }): Problem[] {
  const given = (path: string): boolean => !skip.has(path) && valueAt(input, path) !== undefined;
  return row.rules.flatMap((rule): Problem[] => {
    if (!isNow(rule.when)) return [];
    if ('need' in rule) return given(rule.need) ? [] : [missing(rule.need, `is required${because(rule.why)}`)];
    if ('needOneOf' in rule) {
      const [first = ''] = rule.needOneOf;
      return rule.needOneOf.some(given) ? [] : [missing(first, `one of ${rule.needOneOf.join(', ')} is required${because(rule.why)}`)];
    }
    if ('notBoth' in rule) {
      const [one, other] = rule.notBoth;
      const both = given(one) && given(other);
      return both ? [{ code: 'mutually_exclusive_fields', path: other, message: `cannot stand beside ${one}` }] : [];
    }
    const text = valueAt(input, rule.of);
    if (typeof text !== 'string' || skip.has(rule.of)) return [];
    const taken = rule.taken && given(rule.taken.by) ? rule.taken.characters : 0;
    const length = lengthOf(text, rule.counted) + taken;
    const note = taken > 0 ? `, ${taken} of them for the link` : '';
    return length > rule.max ? [wrong(rule.of, `must have at most ${rule.max} characters${note}; it has ${length}`)] : [];
  });
}

/** Responsive search ads are put together by the platform from at least three headlines and two descriptions. */
function searchTexts(input: CreateAdInput, platform: AdPlatform): Problem[] {
  if (platform !== 'B' || input.campaignType !== 'search') return [];
  const headlines = 1 + (input.additionalHeadlines?.length ?? 0);
  const descriptions = 1 + (input.additionalDescriptions?.length ?? 0);
  const short = (path: string, need: number, have: number): Problem[] =>
    have < need ? [missing(path, `search ads need ${need} in all; ${need - have} more are missing`)] : [];
  return [...short('additionalHeadlines', 3, headlines), ...short('additionalDescriptions', 2, descriptions)];
}

const endDate = (input: CreateAdInput, now: Date): Problem[] =>
  input.endDate && new Date(input.endDate) <= now ? [wrong('endDate', 'must be in the future')] : [];

function holds(when: When | undefined, input: CreateAdInput, facts: AdFacts): boolean {
  if (!when) return true;
  const isOne = (allowed: readonly string[] | undefined, value: string | undefined): boolean =>
    !allowed || (value !== undefined && allowed.includes(value));
  return (
    isOne(when.goal, input.goal) &&
    isOne(when.shape, requestShape(input)) &&
    isOne(when.bidStrategy, input.bidStrategy ?? 'LOWEST_COST_WITHOUT_CAP') &&
    isOne(when.campaignType, input.campaignType ?? 'display') &&
    isOne(when.identityType, input.identityType) &&
    (when.has ?? []).every((path) => valueAt(input, path) !== undefined) &&
    (when.lacks ?? []).every((path) => valueAt(input, path) === undefined) &&
    (!when.fact || factHolds(when.fact, input, facts))
  );
}

function factHolds(fact: NonNullable<When['fact']>, input: CreateAdInput, facts: AdFacts): boolean {
  switch (fact) {
    case 'targetsEu':
      return targetsEu(input);
    case 'lacksOrganization':
      return !facts.hasOrganization;
    case 'needsBrandIdentity':
      return input.identityType === 'CUSTOMIZED_USER' && !facts.hasBrandIdentity;
    case 'lacksPage':
      return !facts.hasPage;
    default:
      return fact satisfies never;
  }
}

function valueAt(input: CreateAdInput, path: string): unknown {
  let value: unknown = input;
  for (const step of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[step];
  return value;
}
