import type { CreateAdInput } from '../../contract/ad-input.ts';
import { averageCost } from '../bid.ts';
import type { OrderProblem } from '../platform.ts';
import { ageGroupsOf } from './ad-group.ts';
import { declarationProblems } from './declarations.ts';
import { eventNames } from './goals.ts';
import { hasEmoji } from './wire.ts';

/** Rules that the platform checks only after the video and the campaign exist and that can be checked beforehand. */
export const checkOrder = (input: CreateAdInput, { dynamicDailyBudgets = false }: OrderSettings): OrderProblem[] => [
  ...unknownEvent(input),
  ...emoji(input),
  ...declarationProblems(input),
  ...(dynamicDailyBudgets ? [] : unlistedBudget(input)),
];

export interface OrderSettings {
  /** The platform permits daily budgets at campaign level for all goals. */
  dynamicDailyBudgets?: boolean;
}

/** Goals whose daily budgets at campaign level the platform permits only to selected ad accounts. */
const listedGoals = new Set<string | undefined>(['awareness', 'video_views', 'engagement']);

function unlistedBudget({ budgetLevel, budgetType, goal }: CreateAdInput): OrderProblem[] {
  if (budgetLevel !== 'campaign' || budgetType !== 'daily' || !listedGoals.has(goal)) return [];
  const message = `campaign does not support a daily budget with the goal ${goal}: use a lifetime budget, or the level ad_set`;
  return [{ path: 'budgetLevel', message }];
}

const countsEvents = ({ goal, promotedObject }: CreateAdInput): boolean =>
  goal === 'conversions' || (goal === 'lead_generation' && promotedObject?.leadFormId === undefined);

function unknownEvent(input: CreateAdInput): OrderProblem[] {
  const event = input.promotedObject?.customEventType;
  if (event === undefined || !countsEvents(input) || eventNames.includes(event)) return [];
  return [
    { path: 'promotedObject.customEventType', message: `is ${event}, but must be one of ${eventNames.join(', ')}` },
  ];
}

const emoji = ({ body = '' }: CreateAdInput): OrderProblem[] =>
  hasEmoji(body) ? [{ path: 'body', message: 'contains an emoji, which the platform does not accept in texts' }] : [];

/** What the platform does differently from what is asked. */
export const orderWarnings = (input: CreateAdInput): OrderProblem[] => [
  ...leadsByClicks(input),
  ...widerAges(input),
  ...costInsteadOfBid(input),
];

const costInsteadOfBid = ({ bidStrategy }: CreateAdInput): OrderProblem[] =>
  bidStrategy === 'LOWEST_COST_WITH_BID_CAP' ? [averageCost] : [];

function leadsByClicks({ goal, promotedObject: { leadFormId, pixelId } = {} }: CreateAdInput): OrderProblem[] {
  if (goal !== 'lead_generation' || leadFormId !== undefined || pixelId !== undefined) return [];
  const message = 'is missing: without a pixel that counts the leads of the website, the ad is optimised for clicks';
  return [{ path: 'promotedObject.pixelId', message }];
}

/** The bounds of the age groups in place of those asked. */
function widerAges(input: CreateAdInput): OrderProblem[] {
  const groups = ageGroupsOf(input);
  if (!groups) return [];
  const bounds = groups.flatMap((name) => name.split('_').slice(1).map(Number));
  const [from, to] = [Math.min(...bounds), Math.max(...bounds)];
  const { ageMin = from, ageMax = 65 } = input;
  const shown = to === 100 ? `${from} and older` : `${from} to ${to}`;
  const message = `is extended to the age groups of the platform: ${shown}`;
  return [
    ...(ageMin > from ? [{ path: 'ageMin', message }] : []),
    ...(ageMax < Math.min(to, 65) ? [{ path: 'ageMax', message }] : []),
  ];
}
