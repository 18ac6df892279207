import { exclusionFields } from './ad-exclusions.ts';
import { KeywordMatchType } from './ad-keywords.ts';
import type { Capability, Rule, When } from './capability.ts';
import type { PlatformInfo } from './lookup.ts';
import { reportingInfo } from './platform-reporting.ts';
import { AdPlatform, platforms } from './platforms.ts';
import { reporting } from './reporting/index.ts';

const facts: Record<NonNullable<When['fact']>, string> = {
  targetsEu: 'the targeting meets an EU member state and the ad account has no defaults for both',
  lacksOrganization: 'neither the account nor its ad account is a company page',
  needsBrandIdentity: 'the ad uses a custom identity and none is stored yet',
  customIdentity: 'the ad uses a custom identity',
  lacksPage: 'no page is connected',
};

function whenText(when: When | undefined): string {
  if (!when) return '';
  const parts = [
    when.goal && `the goal is ${when.goal.join(' or ')}`,
    when.shape && `the shape is ${when.shape.join(' or ')}`,
    when.campaignType && `campaignType is ${when.campaignType.join(' or ')}`,
    when.budgetLevel && `the ${when.budgetLevel === 'campaign' ? 'campaign' : 'ad set'} carries the budget`,
    when.has && `${when.has.join(', ')} is given`,
    when.fact && facts[when.fact],
  ].filter(Boolean);
  return ` when ${parts.join(' and ')}`;
}

const counts = {
  characters: 'characters',
  displayWidth: 'columns (wide characters count two)',
  platformWeight: 'weighted characters',
};

function ruleOf(rule: Rule): { param: string; text: string } {
  const when = whenText(rule.when);
  if ('need' in rule) return { param: rule.need, text: `required${when}` };
  if ('needOneOf' in rule)
    return { param: rule.needOneOf[0] ?? '', text: `one of ${rule.needOneOf.join(', ')}${when}` };
  if ('notBoth' in rule) return { param: rule.notBoth[0], text: `not beside ${rule.notBoth[1]}${when}` };
  if ('needEntries' in rule) return { param: rule.of, text: `at least ${rule.needEntries}${when}` };
  if ('mustBe' in rule) return { param: rule.of, text: `must be ${rule.mustBe}${when}` };
  const taken = rule.taken ? `, ${rule.taken.characters} of them taken by ${rule.taken.by}` : '';
  return { param: rule.of, text: `at most ${rule.max} ${counts[rule.counted ?? 'characters']}${taken}${when}` };
}

/** A row of the capability table in its public form. */
export function platformInfo(platform: AdPlatform): PlatformInfo {
  const row: Capability = platforms[platform];
  return {
    platform,
    label: row.label,
    accounts: [...row.accounts],
    shapes: [...row.shapes],
    goals: [...row.goals],
    callsToAction: [...row.callsToAction],
    bidStrategies: [...row.bidStrategies],
    ownFields: [...row.owns],
    budgetMinimum: row.budgetMinimum.amount,
    exclusions: row.owns.filter((field) => field in exclusionFields),
    keywordMatchTypes: row.owns.includes('keywords') ? [...KeywordMatchType.options] : [],
    startPrecision: row.startPrecision,
    budgetMinimumOfCampaign: row.budgetMinimum.ofCampaign ?? row.budgetMinimum.amount,
    budgetLevels: [...row.budgetLevels],
    defaultBudgetLevel: row.budgetLevels[0],
    changeableBudgets: [...row.changeableBudgets],
    endLevel: row.endLevel,
    removal: [...row.removal],
    canRemoveEnd: row.keepsEnd === undefined,
    devices: [...row.devices],
    urlMacros: row.urlMacros.map((name) => `{${name}}`),
    canChangeUrlParameters: row.changesUrlParametersOf !== undefined,
    canDuplicate: row.copy !== false,
    declarations: row.declarations.map(({ field, values, text }) => ({
      param: field,
      values: values ? [...values] : null,
      text,
    })),
    reporting: reportingInfo(reporting[platform]),
    rules: row.rules.map(ruleOf),
    ignored: row.ignored.map(({ field, why, when }) => ({ param: field, text: `${why}${whenText(when)}` })),
  };
}

export const platformInfos = (): PlatformInfo[] => AdPlatform.options.map(platformInfo);
