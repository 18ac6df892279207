import { fieldsWhere } from '../../contract/ad-fields.ts';
import { CreateAdFields, type CreateAdInput } from '../../contract/ad-input.ts';
import type { Capability } from '../../contract/capability.ts';
import { invalidValue, type Problem } from '../../contract/error.ts';
import { platforms, type AdPlatform } from '../../contract/platforms.ts';

const rows = Object.entries(platforms) as [AdPlatform, Capability][];
const owned = [...new Set(rows.flatMap(([, { owns }]) => owns))] as (keyof CreateAdInput)[];

/** Fields that this platform does not take, and values that it does not know. */
export function checkFields(input: CreateAdInput, row: Capability, platform: AdPlatform): Problem[] {
  return [
    ...foreignFields(input, row, platform),
    ...(row.owns.includes('campaignType') ? otherCampaignType(input, platform) : []),
    ...unknownChoices(input, row, platform),
    ...unknownEntries(input, row, platform),
    ...bidGoal(input, row, platform),
    ...(row.leadFormButtons?.isEnforced ? foreignLeadButton(input, row) : []),
  ];
}

function foreignFields(input: CreateAdInput, row: Capability, platform: AdPlatform): Problem[] {
  const foreign = owned.filter((field) => input[field] !== undefined && !row.owns.includes(field));
  return foreign.map((field) => {
    const takers = rows.filter(([, { owns }]) => owns.includes(field));
    const names = takers.map(([name, { accounts }]) => `${name} (${accounts.join(', ')})`);
    return invalidValue(field, `is not for platform ${platform}; it is for ${names.join(', ')}`);
  });
}

function otherCampaignType(input: CreateAdInput, platform: AdPlatform): Problem[] {
  const { campaignType = 'display' } = input;
  const ofOther = fieldsWhere(CreateAdFields, (facts) => (facts.campaignType ?? campaignType) !== campaignType);
  const foreign = ofOther.filter((name) => input[name as keyof CreateAdInput] !== undefined);
  const taker = campaignType === 'search' ? 'display' : 'search';
  return foreign.map((name) => invalidValue(name, `is only for campaignType ${taker} of platform ${platform}`));
}

function unknownChoices(input: CreateAdInput, row: Capability, platform: AdPlatform): Problem[] {
  const offers = {
    budgetLevel: row.budgetLevels,
    goal: row.goals,
    bidStrategy: row.bidStrategies,
    callToAction: row.callsToAction,
  };
  return Object.entries(offers).flatMap(([field, known]: [string, readonly string[]]) => {
    const value = input[field as keyof typeof offers];
    if (value === undefined || known.includes(value)) return [];
    return [invalidValue(field, `is ${value}, but platform ${platform} takes ${known.join(', ')}`)];
  });
}

/** Entries of lists that the platform does not offer; a list that it lacks as a whole is reported by its name. */
function unknownEntries(input: CreateAdInput, row: Capability, platform: AdPlatform): Problem[] {
  const categories = row.declarations.find(({ field }) => field === 'specialAdCategories')?.values;
  const offers = { devices: row.devices, specialAdCategories: categories ?? [] };
  return Object.entries(offers).flatMap(([field, known]: [string, readonly string[]]) =>
    (known.length === 0 ? [] : (input[field as keyof typeof offers] ?? [])).flatMap((entry, at) =>
      known.includes(entry)
        ? []
        : [invalidValue(`${field}.${at}`, `is ${entry}, but platform ${platform} takes ${known.join(', ')}`)],
    ),
  );
}

function bidGoal({ bidStrategy, goal }: CreateAdInput, { bidGoals }: Capability, platform: AdPlatform): Problem[] {
  const allowed = bidStrategy && bidGoals?.[bidStrategy];
  if (!allowed || !goal || allowed.includes(goal)) return [];
  return [
    invalidValue('bidStrategy', `${bidStrategy} is valid on platform ${platform} only with ${allowed.join(', ')}`),
  ];
}

/** A button that does not open a lead form. */
export function foreignLeadButton(input: CreateAdInput, { leadFormButtons }: Capability): Problem[] {
  if (!leadFormButtons || input.promotedObject?.leadFormId === undefined) return [];
  const { takes } = leadFormButtons;
  const message = `does not open a lead form; these do: ${takes.join(', ')}`;
  const buttons = [
    { path: 'callToAction', button: input.callToAction },
    ...(input.creatives ?? []).map(({ callToAction: button }, at) => ({
      path: `creatives.${at}.callToAction`,
      button,
    })),
  ];
  return buttons.flatMap(({ path, button }) =>
    button === undefined || takes.includes(button) ? [] : [invalidValue(path, message)],
  );
}
