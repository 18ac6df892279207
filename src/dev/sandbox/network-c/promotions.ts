import { enumsIn, idIn, numberIn, oneOfIn, textIn, type Body } from './checks.ts';
import { missing, wrong } from './errors.ts';
import { promotions, webEvents } from './goals.ts';

/** Validates what an ad group promotes: a website, a lead form or an app. */
export function checkPromotion(campaign: Body, body: Body): void {
  const objective = String(campaign['objective_type']);
  const type = oneOfIn(body, 'promotion_type', promotions);
  const isFree = /^(REACH|VIDEO_VIEWS|ENGAGEMENT)$/.test(objective);
  if (!type && !isFree) throw missing('promotion_type');
  const isLead = type?.startsWith('LEAD_GEN') === true;
  if ((objective === 'LEAD_GENERATION') !== isLead) {
    throw wrong(`promotion_type: ${type} is not supported for the objective ${objective}.`);
  }
  // Pixels and apps are created elsewhere; only the format of their ids is validated.
  const pixel = idIn(body, 'pixel_id');
  idIn(body, 'app_id');
  const goal = String(body['optimization_goal']);
  if (type === 'LEAD_GENERATION') checkLeadTarget(body, goal);
  if (objective === 'WEB_CONVERSIONS' && goal !== 'CLICK' && !pixel) throw missing('pixel_id');
  const countsEvents = pixel && /^(WEB_CONVERSIONS|LEAD_GENERATION)$/.test(objective);
  if (countsEvents && !oneOfIn(body, 'optimization_event', webEvents)) throw missing('optimization_event');
  if (type?.startsWith('APP_') || objective === 'APP_PROMOTION') checkApp(campaign, body, type);
}

/** A lead form is optimised for leads; a website for events of a pixel, or for clicks. */
function checkLeadTarget(body: Body, goal: string): void {
  const target = oneOfIn(body, 'promotion_target_type', ['INSTANT_PAGE', 'EXTERNAL_WEBSITE']);
  if (!target) throw missing('promotion_target_type');
  if (target === 'INSTANT_PAGE') return;
  if (goal === 'LEAD_GENERATION') {
    throw wrong('optimization_goal: LEAD_GENERATION is not supported when promotion_target_type is EXTERNAL_WEBSITE.');
  }
  if (goal === 'CLICK') return;
  if (!body['pixel_id']) throw missing('pixel_id');
}

const systems: Record<string, string> = { APP_ANDROID: 'ANDROID', APP_IOS: 'IOS' };
const firstVersion = 14.5;

function checkApp(campaign: Body, body: Body, type = ''): void {
  const system = systems[type];
  if (!system) throw wrong('promotion_type: APP_ANDROID or APP_IOS is needed for APP_PROMOTION.');
  const [requested] = enumsIn(body, 'operating_systems', ['ANDROID', 'IOS']) ?? [];
  if (!requested) throw missing('operating_systems');
  if (requested !== system) throw wrong(`operating_systems: ${requested} does not match the promotion type ${type}.`);
  checkVersion(campaign, body, system);
  if (campaign['objective_type'] === 'APP_PROMOTION') checkAppGoal(campaign, body);
}

/** Devices from iOS 14.5 on are reached by dedicated campaigns only. */
function checkVersion({ campaign_type: campaignType }: Body, body: Body, system: string): void {
  const isDedicated = campaignType === 'IOS14_CAMPAIGN';
  const target = oneOfIn(body, 'ios14_targeting', ['UNSET', 'IOS14_MINUS', 'IOS14_PLUS', 'ALL']);
  if (isDedicated && system !== 'IOS') throw wrong('promotion_type: IOS14_CAMPAIGN supports APP_IOS only.');
  if (isDedicated && !target) throw missing('ios14_targeting');
  if (isDedicated !== (target === 'IOS14_PLUS')) {
    throw wrong(`ios14_targeting: ${target} is not supported for ${String(campaignType ?? 'REGULAR_CAMPAIGN')}.`);
  }
  if (target === undefined || target === 'UNSET') return;
  const version = textIn(body, 'min_ios_version');
  if (version === undefined) throw missing('min_ios_version');
  if (!/^\d+\.\d+$/.test(version) || (isDedicated && Number(version) < firstVersion)) {
    throw wrong(`min_ios_version: ${version} does not match ios14_targeting ${target}.`);
  }
}

const valueEvents = ['ACTIVE_PAY', 'AD_REVENUE_VALUE'];

function checkAppGoal(campaign: Body, body: Body): void {
  const [own, above] = [idIn(body, 'app_id'), campaign['app_id']];
  if (!own && !above) throw missing('app_id');
  if (own && above && own !== above) throw wrong('app_id: Does not match the app of the campaign.');
  if (body['optimization_goal'] !== 'VALUE') return;
  const event = oneOfIn(body, 'optimization_event', valueEvents);
  if (!event) throw missing('optimization_event');
  const bid = numberIn(body, 'roas_bid');
  if (event === 'AD_REVENUE_VALUE' && bid !== undefined && (bid < 0.01 || bid > 10)) {
    throw wrong('roas_bid: Must be between 0.01 and 10 for AD_REVENUE_VALUE.');
  }
}
