import {
  rejectObjects,
  futureTime,
  rejectUnknownFields,
  requireList,
  requireObject,
  requireOneOf,
  requireText,
  textOf,
  wholeOf,
  type Body,
  timeOf,
} from './checks.ts';
import { invalid, unknownObject } from './errors.ts';
import { parameters } from './parameters.ts';
import { minimumBudget, type AdAccount, type GraphObject, type SandboxState } from './state.ts';
import { checkCategory, checkReach, checkSystem } from './targeting.ts';

const chats = ['MESSENGER', 'WHATSAPP', 'INSTAGRAM_DIRECT'];
/** Optimisation goals and destinations per objective; still not all of them. */
const pairs: Record<string, Record<string, string[]>> = {
  OUTCOME_AWARENESS: { REACH: [''], IMPRESSIONS: [''], AD_RECALL_LIFT: [''], THRUPLAY: ['', 'ON_VIDEO'] },
  OUTCOME_TRAFFIC: {
    LINK_CLICKS: ['WEBSITE', '', 'APP', ...chats],
    LANDING_PAGE_VIEWS: ['WEBSITE', ''],
    REACH: ['WEBSITE', ''],
    IMPRESSIONS: ['WEBSITE', ''],
  },
  OUTCOME_ENGAGEMENT: {
    POST_ENGAGEMENT: ['ON_POST'],
    THRUPLAY: ['ON_VIDEO'],
    TWO_SECOND_CONTINUOUS_VIDEO_VIEWS: ['ON_VIDEO'],
    PAGE_LIKES: ['ON_PAGE'],
    EVENT_RESPONSES: ['ON_EVENT'],
    CONVERSATIONS: chats,
    LINK_CLICKS: ['WEBSITE', ...chats],
    LANDING_PAGE_VIEWS: ['WEBSITE'],
    OFFSITE_CONVERSIONS: ['WEBSITE'],
    REACH: ['ON_POST', 'WEBSITE'],
    IMPRESSIONS: ['ON_POST', 'WEBSITE'],
  },
  OUTCOME_LEADS: { LEAD_GENERATION: ['ON_AD'], QUALITY_LEAD: ['ON_AD'], OFFSITE_CONVERSIONS: ['WEBSITE', ''] },
  OUTCOME_SALES: {
    OFFSITE_CONVERSIONS: ['WEBSITE', ''],
    VALUE: ['WEBSITE', ''],
    LINK_CLICKS: ['WEBSITE', ''],
    LANDING_PAGE_VIEWS: ['WEBSITE', ''],
    REACH: ['WEBSITE', ''],
    IMPRESSIONS: ['WEBSITE', ''],
    CONVERSATIONS: chats,
  },
  OUTCOME_APP_PROMOTION: {
    APP_INSTALLS: ['APP', ''],
    OFFSITE_CONVERSIONS: ['APP', ''],
    LINK_CLICKS: ['APP', ''],
    VALUE: ['APP', ''],
  },
};
const events =
  'PURCHASE LEAD ADD_TO_CART ADD_PAYMENT_INFO ADD_TO_WISHLIST COMPLETE_REGISTRATION CONTENT_VIEW SEARCH INITIATED_CHECKOUT SUBSCRIBE START_TRIAL CONTACT DONATE SCHEDULE SUBMIT_APPLICATION FIND_LOCATION CUSTOMIZE_PRODUCT OTHER ACHIEVEMENT_UNLOCKED LEVEL_ACHIEVED TUTORIAL_COMPLETION SPENT_CREDITS RATE AD_IMPRESSION SERVICE_BOOKING_REQUEST MESSAGING_CONVERSATION_STARTED_7D LISTING_INTERACTION D2_RETENTION D7_RETENTION'.split(
    ' ',
  );

/** Validates a new ad set. */
export function checkAdSet(sandbox: SandboxState, account: AdAccount, body: Body, { isCopy = false } = {}): Body {
  rejectUnknownFields(body, parameters.adset);
  requireText(body, 'name');
  requireOneOf(body, 'status', ['ACTIVE', 'PAUSED']);
  const campaign = sandbox.objects.get(requireText(body, 'campaign_id'));
  if (campaign?.kind !== 'campaign' || campaign.accountId !== account.id)
    throw unknownObject(String(body['campaign_id']));
  // A copy may have the start of its source.
  if (!isCopy) checkStart(body);
  checkOrder(body);
  checkBudget(account, campaign, body);
  requireOneOf(body, 'billing_event', [
    'IMPRESSIONS',
    'LINK_CLICKS',
    'THRUPLAY',
    'POST_ENGAGEMENT',
    'PAGE_LIKES',
    'APP_INSTALLS',
  ]);
  const goal = checkGoal(campaign, body);
  checkBid(withCampaignStrategy(campaign, body), goal);
  checkAttribution(body, campaign.fields['objective'] === 'OUTCOME_APP_PROMOTION' ? `APP ${goal}` : goal);
  if (campaign.fields['objective'] === 'OUTCOME_APP_PROMOTION') checkSystem(body['targeting']);
  checkCategory(campaign.fields, body['targeting']);
  checkReach(body, body['targeting']);
  return body;
}

function checkBudget(account: AdAccount, campaign: GraphObject, body: Body): void {
  const [daily, lifetime] = [wholeOf(body, 'daily_budget'), wholeOf(body, 'lifetime_budget')];
  const isAbove = carriesBudget(campaign);
  if (isAbove && (daily ?? lifetime) !== undefined)
    throw invalid('The budget is set on the campaign', { subcode: 1885621, field: 'daily_budget' });
  if (!isAbove && daily === undefined && lifetime === undefined)
    throw invalid('A budget is required', { field: 'daily_budget' });
  checkMoney(account, body);
  const end = futureTime(body, 'end_time');
  if (Number(campaign.fields['lifetime_budget'] ?? 0) > 0 && !end)
    throw invalid('The lifetime budget of the campaign needs an end time', { subcode: 1487007, field: 'end_time' });
  if (lifetime !== undefined && !end)
    throw invalid('A lifetime budget needs an end time', { subcode: 1487007, field: 'end_time' });
  const start = timeOf(body['start_time']) ?? 0;
  if (daily !== undefined && end && end.getTime() - Math.max(start, Date.now()) < dayMs) {
    throw invalid('With a daily budget the ad set must run for more than 24 hours', {
      subcode: 1487033,
      field: 'end_time',
    });
  }
}

/** The end of a run must follow its start. */
export function checkOrder({ start_time: from, end_time: until }: Body): void {
  const [start, end] = [timeOf(from), timeOf(until)];
  if (start !== undefined && end !== undefined && end <= start)
    throw invalid('The end must be after the start', { subcode: 1487007, field: 'end_time' });
}

export function checkStart(body: Body): void {
  const start = timeOf(body['start_time']);
  if (Number.isNaN(start)) throw invalid('start_time must be a time', { field: 'start_time' });
  if (start !== undefined && start <= Date.now())
    throw invalid('The start time must be in the future', { subcode: 1487033, field: 'start_time' });
}

/** Whether a campaign distributes its own budget to its ad sets; zero means none. */
export const carriesBudget = ({ fields }: Pick<GraphObject, 'fields'>): boolean =>
  ['daily_budget', 'lifetime_budget'].some((name) => Number(fields[name] ?? 0) > 0);

export const isUnderCampaignBudget = (sandbox: SandboxState, { fields }: GraphObject): boolean => {
  const campaign = sandbox.objects.get(String(fields['campaign_id']));
  return campaign !== undefined && carriesBudget(campaign);
};

const dayMs = 86_400_000;

/** The minimum is per day, so that of a lifetime budget grows with the days between start and end. */
function daysOf({ start_time: start, end_time: end, stop_time: stop }: Body): number {
  const until = timeOf(end) ?? timeOf(stop);
  return until === undefined ? 1 : Math.max(1, Math.ceil((until - (timeOf(start) ?? Date.now())) / dayMs));
}

/** At most one kind of budget, and not below the account's minimum. `run` says when it is spent. */
export function checkMoney(account: AdAccount, body: Body, run: Body = body): void {
  const [daily, lifetime] = [wholeOf(body, 'daily_budget'), wholeOf(body, 'lifetime_budget')];
  if (daily !== undefined && lifetime !== undefined)
    throw invalid('Give a daily or a lifetime budget, not both', { field: 'lifetime_budget' });
  const least = minimumBudget(account) * (daily === undefined ? daysOf(run) : 1);
  const field = daily === undefined ? 'lifetime_budget' : 'daily_budget';
  if ((daily ?? lifetime ?? least) < least)
    throw invalid(`The budget must be at least ${least}`, { subcode: 1885272, title: 'Budget too low', field });
}

function checkGoal(campaign: GraphObject, body: Body): string {
  const objective = String(campaign.fields['objective']);
  const goal = requireText(body, 'optimization_goal');
  const destinations = pairs[objective]?.[goal];
  if (!destinations)
    throw invalid(`${goal} is not available for ${objective}`, { subcode: 2490408, field: 'optimization_goal' });
  const destination = textOf(body['destination_type']) ?? '';
  if (!destinations.includes(destination)) {
    throw invalid(`The destination ${destination || 'none'} is not valid for ${objective}`, {
      subcode: 1815715,
      field: 'destination_type',
    });
  }
  checkPromoted(objective, goal, body['promoted_object']);
  return goal;
}

const ofWebsite =
  'pixel_id custom_event_type custom_event_str pixel_rule custom_conversion_id product_set_id product_catalog_id';
const ofApp = 'application_id object_store_url custom_event_type custom_event_str product_set_id';

/** Only members that belong together are valid. */
function rejectMixtures(objective: string, goal: string, promoted: Body): void {
  const isOfPage = goal === 'POST_ENGAGEMENT' || goal === 'LEAD_GENERATION' || objective === 'OUTCOME_AWARENESS';
  const isOfWebsite = /^OUTCOME_(SALES|LEADS)$/.test(objective) && /CONVERSIONS|VALUE/.test(goal);
  const allowed = isOfPage
    ? 'page_id'
    : objective === 'OUTCOME_APP_PROMOTION'
      ? ofApp
      : isOfWebsite
        ? ofWebsite
        : undefined;
  const odd = Object.keys(promoted).find((name) => allowed && !allowed.split(' ').includes(name));
  if (odd) throw invalid(`Ambiguous Promoted Object Fields: ${odd}`, { field: 'promoted_object' });
}

function checkPromoted(objective: string, goal: string, value: unknown): void {
  const promoted = value === undefined ? {} : requireObject(value, 'promoted_object');
  const demand = (name: string): void => {
    if (!promoted[name]) throw invalid(`promoted_object must have ${name}`, { field: 'promoted_object' });
  };
  rejectObjects(promoted, Object.keys(promoted), 'promoted_object');
  rejectMixtures(objective, goal, promoted);
  if (objective === 'OUTCOME_ENGAGEMENT' && goal === 'POST_ENGAGEMENT') demand('page_id');
  if (goal === 'LEAD_GENERATION' || goal === 'QUALITY_LEAD') demand('page_id');
  if (['OUTCOME_SALES', 'OUTCOME_LEADS'].includes(objective) && /CONVERSIONS|VALUE/.test(goal)) {
    if (!promoted['custom_conversion_id']) demand('pixel_id');
    if (!promoted['custom_conversion_id']) demand('custom_event_type');
  }
  if (objective === 'OUTCOME_APP_PROMOTION') ['application_id', 'object_store_url'].forEach(demand);
  const event = promoted['custom_event_type'];
  if (event !== undefined && !events.includes(String(event)))
    throw invalid(`custom_event_type must be one of ${events.join(', ')}`, { field: 'promoted_object' });
}

/** Under a campaign budget the campaign has the bid strategy. */
function withCampaignStrategy(campaign: GraphObject, body: Body): Body {
  if (!carriesBudget(campaign)) return body;
  if (body['bid_strategy'] !== undefined)
    throw invalid('The bid strategy is set on the campaign', { subcode: 1885621, field: 'bid_strategy' });
  return { ...body, bid_strategy: campaign.fields['bid_strategy'] };
}

function checkBid(body: Body, goal: string): void {
  const strategy = textOf(body['bid_strategy']) ?? 'LOWEST_COST_WITHOUT_CAP';
  const amount = wholeOf(body, 'bid_amount');
  const constraints =
    body['bid_constraints'] === undefined ? undefined : requireObject(body['bid_constraints'], 'bid_constraints');
  switch (strategy) {
    case 'LOWEST_COST_WITHOUT_CAP':
      if (amount !== undefined || constraints)
        throw invalid('This bid strategy does not support a bid', { subcode: 1815857, field: 'bid_amount' });
      return;
    case 'LOWEST_COST_WITH_BID_CAP':
    case 'COST_CAP':
      if (!amount) throw invalid('This bid strategy needs a bid amount', { subcode: 1815857, field: 'bid_amount' });
      if (strategy === 'COST_CAP' && ['REACH', 'IMPRESSIONS'].includes(goal))
        throw invalid('A cost cap does not go with this goal', { field: 'bid_strategy' });
      return;
    case 'LOWEST_COST_WITH_MIN_ROAS': {
      const floor = Number(constraints?.['roas_average_floor']);
      if (!(floor >= 100 && floor <= 10_000_000) || !Number.isInteger(floor))
        throw invalid('roas_average_floor goes from 100 to 10000000', { field: 'bid_constraints' });
      if (goal !== 'VALUE')
        throw invalid('A minimum return needs the optimisation goal VALUE', { field: 'optimization_goal' });
      if (amount !== undefined)
        throw invalid('A minimum return does not support a bid amount', { field: 'bid_amount' });
      return;
    }
    default:
      throw invalid(`bid_strategy ${strategy} is unknown`, { field: 'bid_strategy' });
  }
}

const windows: Record<string, string[]> = {
  OFFSITE_CONVERSIONS: ['C1', 'C7', 'C1 V1', 'C7 V1'],
  VALUE: ['C1', 'C7', 'C1 V1', 'C7 V1'],
  'APP OFFSITE_CONVERSIONS': ['C1', 'C7'],
  'APP LINK_CLICKS': ['C1', 'C7'],
  'APP VALUE': ['C1', 'C7'],
  'APP APP_INSTALLS': ['C1', 'C1 V1', 'C1 E1', 'C1 E1 V1'],
};

function checkAttribution({ attribution_spec: spec }: Body, goal: string): void {
  if (spec === undefined) return;
  const shape = requireList(spec, 'attribution_spec')
    .map((entry) => {
      const { event_type: type, window_days: days } = requireObject(entry, 'attribution_spec');
      return `${String(type)[0] ?? ''}${String(days)}`;
    })
    .toSorted()
    .join(' ');
  if (!(windows[goal] ?? ['C1']).includes(shape))
    throw invalid('This attribution window is not available for the goal', {
      subcode: 1815446,
      field: 'attribution_spec',
    });
}
