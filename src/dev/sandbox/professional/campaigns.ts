import {
  checkMoney,
  checkSchedule,
  checkStatus,
  dailyFloor,
  requireOwnAccount,
  type Check,
  type Scene,
} from './checks.ts';
import { forbiddenField, unprocessable } from './errors.ts';
import { entityAt, keyOf, mayPostAs, urnOf } from './state.ts';
import { locales } from './places.ts';
import { isDynamic } from './groups.ts';
import { idOf } from './restli.ts';
import { filled, flag, money, oneOf, record, schedule, text, urn, type Fields } from './shape.ts';
import { targeting } from './targeting.ts';

/** Supported objectives (singular) with their optimisation goals. */
const goals: Record<string, string[]> = {
  WEBSITE_VISIT: ['MAX_CLICK'],
  ENGAGEMENT: ['MAX_CLICK'],
  BRAND_AWARENESS: ['MAX_IMPRESSION', 'MAX_REACH'],
  VIDEO_VIEW: ['MAX_VIDEO_VIEW'],
  LEAD_GENERATION: ['MAX_LEAD'],
  WEBSITE_CONVERSION: ['MAX_CONVERSION'],
  JOB_APPLICANT: ['MAX_CLICK'],
};

export const campaignShape = record({
  fields: {
    account: urn('sponsoredAccount'),
    campaignGroup: urn('sponsoredCampaignGroup'),
    associatedEntity: urn('organization', 'person'),
    name: filled(255),
    type: oneOf('TEXT_AD', 'SPONSORED_UPDATES', 'SPONSORED_INMAILS', 'DYNAMIC'),
    format: oneOf('STANDARD_UPDATE', 'SINGLE_VIDEO', 'CAROUSEL'),
    objectiveType: oneOf(...Object.keys(goals)),
    optimizationTargetType: oneOf('NONE', ...new Set(Object.values(goals).flat())),
    costType: oneOf('CPM', 'CPC', 'CPV'),
    creativeSelection: oneOf('OPTIMIZED', 'ROUND_ROBIN'),
    pacingStrategy: oneOf('LIFETIME', 'ACCELERATED'),
    unitCost: money,
    dailyBudget: money,
    totalBudget: money,
    locale: record({ fields: { country: text(2), language: text(2) }, required: ['country', 'language'] }),
    offsiteDeliveryEnabled: flag,
    audienceExpansionEnabled: flag,
    politicalIntent: oneOf('POLITICAL', 'NOT_POLITICAL', 'NOT_DECLARED'),
    status: oneOf('ACTIVE', 'ARCHIVED', 'CANCELED', 'COMPLETED', 'DRAFT', 'PAUSED', 'PENDING_DELETION'),
    runSchedule: schedule,
    targetingCriteria: targeting,
    connectedTelevisionOnly: flag,
  },
  required: [
    'account',
    'campaignGroup',
    'name',
    'type',
    'costType',
    'locale',
    'offsiteDeliveryEnabled',
    'targetingCriteria',
    'unitCost',
    'status',
    'politicalIntent',
  ],
  readOnly: ['id', 'test', 'version', 'servingStatuses', 'changeAuditStamps', 'storyDeliveryEnabled'],
});

const most = { campaigns: 5000, active: 1000 };

/** Validates a new or updated campaign. */
export const checkCampaign: Check = (scene, fields) => {
  const { account, sandbox, before } = scene;
  requireOwnAccount(account, fields);
  checkStatus(fields, before);
  checkParents(scene, fields);
  checkMoney(account, fields);
  checkBudget(scene, fields);
  checkBidding(fields);
  checkActive(scene, fields);
  const { language, country } = fields['locale'] as Fields;
  if (!locales.includes(`${language}_${country}`))
    throw unprocessable('locale', `${language}_${country} is not a supported locale`);
  if (!before && sandbox.below(keyOf.account(account.id, 'campaign')).length >= most.campaigns)
    throw unprocessable('account', `already has ${most.campaigns} campaigns`, 'LIMIT_EXCEEDED');
  if (fields['status'] === 'ACTIVE' && fields['objectiveType'] === 'WEBSITE_CONVERSION') {
    const isLinked = before && sandbox.associations.get(urnOf(before));
    if (!isLinked) throw unprocessable('status', 'a conversion must be associated before the campaign is activated');
  }
};

function checkParents({ sandbox, person, account }: Scene, fields: Fields): void {
  const group = entityAt(sandbox, fields['campaignGroup'], 'group');
  if (group?.accountId !== account.id) throw unprocessable('campaignGroup', 'does not exist in the ad account');
  const entity = fields['associatedEntity'];
  if (entity === undefined && fields['type'] === 'SPONSORED_UPDATES')
    throw unprocessable('associatedEntity', 'field is required for sponsored content');
  const organizationId = idOf(entity, 'organization');
  if (entity !== undefined && !mayPostAs(person, organizationId)) throw forbiddenField('associatedEntity');
}

const dayMs = 86_400_000;

/** The daily minimum applies to each day of the run. */
function checkTotal({ currency }: Scene['account'], { totalBudget, runSchedule }: Fields): void {
  const { start, end } = (runSchedule ?? {}) as { start?: number; end?: number };
  if (totalBudget === undefined || start === undefined || end === undefined) return;
  const least = dailyFloor(currency) * Math.max(1, Math.ceil((end - start) / dayMs));
  if (Number((totalBudget as Fields)['amount']) < least)
    throw unprocessable('totalBudget/amount', `is below the minimum of ${least} ${currency}`, 'BUDGET_TOO_LOW');
}

function checkBudget({ sandbox, account }: Scene, fields: Fields): void {
  const { dailyBudget, totalBudget, runSchedule } = fields;
  const isShared = isDynamic(entityAt(sandbox, fields['campaignGroup'], 'group')?.fields ?? {});
  const own = dailyBudget === undefined ? 'totalBudget' : 'dailyBudget';
  if (isShared && fields[own] !== undefined)
    throw unprocessable(own, 'is not allowed under a dynamic group', 'CONDITIONAL_FIELD_NOT_ALLOWED');
  if (!isShared && dailyBudget === undefined && totalBudget === undefined)
    throw unprocessable('dailyBudget', 'one of dailyBudget and totalBudget is required');
  if (runSchedule !== undefined) checkSchedule(fields);
  if (totalBudget !== undefined && (runSchedule as { end?: number } | undefined)?.end === undefined)
    throw unprocessable('runSchedule/end', 'an end date is required when a total budget is set');
  checkTotal(account, fields);
  if (totalBudget === undefined && fields['pacingStrategy'] === 'LIFETIME')
    throw unprocessable('pacingStrategy', 'LIFETIME needs a total budget');
}

/** Unconfirmed: pairs that are rejected beyond the documented ones. */
function checkBidding({ objectiveType, optimizationTargetType: target = 'NONE', costType, unitCost }: Fields): void {
  const allowed = objectiveType === undefined ? undefined : goals[String(objectiveType)];
  if (allowed && target !== 'NONE' && target !== 'MAX_IMPRESSION' && !allowed.includes(String(target)))
    throw unprocessable('optimizationTargetType', `${target} is not allowed with the objective ${objectiveType}`);
  const isManual = target === 'NONE';
  const paid = isManual ? ['CPM', 'CPC', 'CPV'] : objectiveType === 'VIDEO_VIEW' ? ['CPV', 'CPM'] : ['CPM'];
  if (!paid.includes(String(costType)))
    throw unprocessable('costType', `${costType} is not allowed with the optimization target ${target}`);
  if (isManual && Number((unitCost as Fields)['amount']) === 0)
    throw unprocessable('unitCost/amount', 'a bid is required without an optimization target', 'BID_TOO_LOW');
}

/** Enforces the limit of active campaigns. */
function checkActive({ sandbox, account, before }: Scene, fields: Fields): void {
  if (fields['status'] !== 'ACTIVE' || before?.fields['status'] === 'ACTIVE') return;
  const ids = sandbox.below(keyOf.account(account.id, 'campaign'));
  // Fewer campaigns than the limit need no count.
  if (ids.length <= most.active) return;
  const active = ids.filter((id) => sandbox.entities.get(id)?.fields['status'] === 'ACTIVE').length;
  if (active >= most.active) throw unprocessable('status', `${most.active} campaigns are active`, 'LIMIT_EXCEEDED');
}
