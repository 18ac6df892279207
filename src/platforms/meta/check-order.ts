import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { OrderProblem } from '../platform.ts';
import { declarationProblems, declarationWarnings } from './declarations.ts';
import { planGoal, type GoalPlan } from './goals.ts';
import { nameWarnings } from './url-tags.ts';

const [click1, click7, view, engagedView] = [
  'CLICK_THROUGH 1',
  'CLICK_THROUGH 7',
  'VIEW_THROUGH 1',
  'ENGAGED_VIDEO_VIEW 1',
] as const;
const ofWebsite = [[click1], [click7], [click1, view], [click7, view]];
/** Attribution windows of each optimization; any other supports one day after a click only. */
const windows: Record<string, string[][]> = {
  'WEBSITE OFFSITE_CONVERSIONS': ofWebsite,
  'WEBSITE VALUE': ofWebsite,
  'APP APP_INSTALLS': [[click1], [click1, view], [click1, view, engagedView]],
  'APP VALUE': [[click1], [click7]],
};

/** The platform's spelling, which differs from that of its pixel. */
const events =
  'PURCHASE LEAD ADD_TO_CART ADD_PAYMENT_INFO ADD_TO_WISHLIST COMPLETE_REGISTRATION CONTENT_VIEW SEARCH INITIATED_CHECKOUT SUBSCRIBE START_TRIAL CONTACT DONATE SCHEDULE SUBMIT_APPLICATION FIND_LOCATION CUSTOMIZE_PRODUCT OTHER ACHIEVEMENT_UNLOCKED LEVEL_ACHIEVED TUTORIAL_COMPLETION SPENT_CREDITS RATE AD_IMPRESSION SERVICE_BOOKING_REQUEST MESSAGING_CONVERSATION_STARTED_7D LISTING_INTERACTION D2_RETENTION D7_RETENTION'.split(
    ' ',
  );

/** Rules that the platform checks only after the campaign exists and that can be checked beforehand. */
export function checkOrder(input: CreateAdInput): OrderProblem[] {
  const plan = input.goal && planGoal(input.goal, input, undefined);
  return [
    ...(plan ? [...unknownEvent(plan), ...foreignWindows(input, plan)] : []),
    ...overlaps(input),
    ...emptyAges(input),
    ...declarationProblems(input),
  ];
}

/** What is declared in the advertiser's name, and what is not replaced as the caller may expect. */
export const orderWarnings = (input: CreateAdInput): OrderProblem[] => [
  ...declarationWarnings(input),
  ...nameWarnings(input),
];

function unknownEvent({ promotedObject }: GoalPlan): OrderProblem[] {
  const event = promotedObject?.['custom_event_type'];
  if (event === undefined || events.includes(String(event))) return [];
  const message = `is ${String(event)}, but must be one of ${events.join(', ')}`;
  return [{ path: 'promotedObject.customEventType', message }];
}

function foreignWindows({ goal, attributionSpec }: CreateAdInput, plan: GoalPlan): OrderProblem[] {
  if (!attributionSpec) return [];
  const taken = windows[`${plan.destinationType} ${plan.optimizationGoal}`] ?? [[click1]];
  const given = attributionSpec.map(({ eventType, windowDays }) => `${eventType} ${windowDays}`);
  const isTaken = taken.some((one) => one.length === given.length && one.every((window) => given.includes(window)));
  if (isTaken) return [];
  const known = taken.map((one) => one.join(' with ')).join('; ');
  const message = `is ${given.join(' with ')}, but this ad with the goal ${goal} supports only: ${known}`;
  return [{ path: 'attributionSpec', message }];
}

/** A location inside a country that is targeted as a whole. */
function overlaps({ countries = [], cities = [], regions = [] }: CreateAdInput): OrderProblem[] {
  const within = (path: 'cities' | 'regions', places: { countryCode?: string }[]): OrderProblem[] =>
    places.flatMap(({ countryCode }, at) =>
      countryCode !== undefined && countries.some((country) => country === countryCode)
        ? [
            {
              path: `${path}.${at}`,
              message: `lies in ${countryCode}, which is also in countries; specify only one of them`,
            },
          ]
        : [],
    );
  return [...within('cities', cities), ...within('regions', regions)];
}

const adult = 18;

function emptyAges({ ageMin, ageMax = adult }: CreateAdInput): OrderProblem[] {
  if (ageMin !== undefined || ageMax >= adult) return [];
  return [{ path: 'ageMax', message: `must be at least ${adult} without ageMin: ages then start at ${adult}` }];
}
