import {
  checkMoney,
  checkSchedule,
  checkStatus,
  checkTotal,
  requireOwnAccount,
  tooLow,
  totalOf,
  type Check,
  type Scene,
} from './checks.ts';
import { forbiddenField, invalid, together } from './errors.ts';
import { entityAt, keyOf, mayPostAs, urnOf } from './state.ts';
import { locales, targetsEu } from './places.ts';
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
  const { account, before } = scene;
  requireOwnAccount(account, fields);
  together(
    () => checkStatus(fields, before),
    () => checkParents(scene, fields),
    () => checkMoney(account, fields),
    () => checkBudget(scene, fields),
    () => checkRun(scene, fields),
    () => checkBidding(fields),
    () => checkIntent(fields),
    () => checkExclusions(fields),
    () => checkLocale(fields),
  );
  checkActive(scene, fields);
  checkCount(scene);
};

function checkLocale({ locale }: Fields): void {
  const { language, country } = locale as Fields;
  if (!locales.includes(`${language}_${country}`)) throw invalid('locale', `can't be set to ${language}_${country}`);
}

/** Political advertising is not allowed in the EU. */
function checkIntent({ politicalIntent, targetingCriteria }: Fields): void {
  if (politicalIntent === 'POLITICAL' && targetsEu(targetingCriteria))
    throw invalid(
      'politicalIntent',
      "can't be set to POLITICAL if /Campaign/targetingCriteria is set to locations in the EU",
      'CONDITIONAL_INVALID_VALUE',
    );
}

type FacetMap = Record<string, string[]>;

/** A value may be on one side only; the path of the error is unconfirmed. */
function checkExclusions({ targetingCriteria }: Fields): void {
  const { include, exclude } = (targetingCriteria ?? {}) as {
    include?: { and: { or: FacetMap }[] };
    exclude?: { or: FacetMap };
  };
  const included = (include?.and ?? []).flatMap(({ or }) => Object.values(or).flat());
  const both = Object.values(exclude?.or ?? {})
    .flat()
    .find((value) => included.includes(value));
  if (both === undefined) return;
  throw invalid(
    'targetingCriteria/exclude',
    `can't contain ${both}, which is included too`,
    'FIELD_CANNOT_BE_BOTH_IN_INCLUDED_AND_EXCLUDED_TARGETING',
  );
}

function checkCount({ sandbox, account, before }: Scene): void {
  if (!before && sandbox.below(keyOf.account(account.id, 'campaign')).length >= most.campaigns)
    throw invalid('account', `already has ${most.campaigns} campaigns`, 'LIMIT_EXCEEDED');
}

function checkParents({ sandbox, person, account }: Scene, fields: Fields): void {
  const group = entityAt(sandbox, fields['campaignGroup'], 'group');
  if (group?.accountId !== account.id)
    throw invalid(
      'campaignGroup',
      `value ${String(fields['campaignGroup'])} doesn't exist`,
      'FIELD_VALUE_DOES_NOT_EXIST',
    );
  const entity = fields['associatedEntity'];
  if (entity === undefined && fields['type'] === 'SPONSORED_UPDATES')
    throw invalid(
      'associatedEntity',
      'is required if /Campaign/type is set to SPONSORED_UPDATES',
      'CONDITIONAL_MISSING_FIELD',
    );
  const organizationId = idOf(entity, 'organization');
  if (entity !== undefined && !mayPostAs(person, organizationId)) throw forbiddenField('associatedEntity');
}

function checkBudget({ sandbox, account }: Scene, fields: Fields): void {
  const { dailyBudget, totalBudget, runSchedule } = fields;
  const group = entityAt(sandbox, fields['campaignGroup'], 'group')?.fields ?? {};
  const isShared = isDynamic(group);
  if (isShared) checkDynamic(group, fields);
  const limit = isShared ? undefined : totalOf(group);
  if (limit !== undefined && (totalOf(fields) ?? 0) > limit)
    throw invalid('totalBudget', `can't be higher than the ${limit} of its group`, 'CONDITIONAL_VALUE_TOO_HIGH');
  const own = dailyBudget === undefined ? 'totalBudget' : 'dailyBudget';
  if (isShared && fields[own] !== undefined)
    throw invalid(
      own,
      'is not allowed when field /CampaignGroup/budgetOptimization is set to DYNAMIC',
      'CONDITIONAL_FIELD_NOT_ALLOWED',
    );
  if (!isShared && dailyBudget === undefined && totalBudget === undefined)
    throw invalid('dailyBudget', 'or /Campaign/totalBudget is required but missing', 'MISSING_FIELD');
  if (totalBudget !== undefined && (runSchedule as { end?: number } | undefined)?.end === undefined)
    throw invalid('runSchedule/end', 'is required if /Campaign/totalBudget is set', 'CONDITIONAL_MISSING_FIELD');
  checkTotal(account, fields);
  if (totalBudget === undefined && fields['pacingStrategy'] === 'LIFETIME')
    throw invalid('pacingStrategy', 'LIFETIME needs a total budget');
}

/** All campaigns of a dynamic group have its objective and its way to bid. */
function checkDynamic(group: Fields, { objectiveType, optimizationTargetType: target = 'NONE' }: Fields): void {
  if (objectiveType !== group['objectiveType'])
    throw invalid('objectiveType', `must be ${String(group['objectiveType'])}, as in its group`, 'MISMATCH_FIELDS');
  const isManual = (group['budgetOptimization'] as Fields)['bidStrategy'] === 'MANUAL';
  if (isManual !== (target === 'NONE'))
    throw invalid('optimizationTargetType', `${String(target)} does not go with the bid strategy of its group`);
}

/** Applies to activation: a conversion must be associated before. */
function checkRun({ sandbox, before }: Scene, fields: Fields): void {
  if (fields['runSchedule'] !== undefined) checkSchedule(fields, before);
  if (fields['status'] !== 'ACTIVE' || fields['objectiveType'] !== 'WEBSITE_CONVERSION') return;
  const isLinked = before && sandbox.associations.get(urnOf(before));
  if (!isLinked)
    throw invalid(
      'status',
      'Campaign being optimized for conversion should have at least one valid conversion associated with it',
      'CONVERSION_CAMPAIGN_MISSING_ASSOCIATED_CONVERSION',
    );
}

/** Unconfirmed: pairs that are rejected beyond the documented ones. */
function checkBidding({ objectiveType, optimizationTargetType: target = 'NONE', costType, unitCost }: Fields): void {
  const allowed = objectiveType === undefined ? undefined : goals[String(objectiveType)];
  if (allowed && target !== 'NONE' && target !== 'MAX_IMPRESSION' && !allowed.includes(String(target)))
    throw invalid('optimizationTargetType', `${target} is not allowed with the objective ${objectiveType}`);
  const isManual = target === 'NONE';
  const paid = isManual ? ['CPM', 'CPC', 'CPV'] : objectiveType === 'VIDEO_VIEW' ? ['CPV', 'CPM'] : ['CPM'];
  if (!paid.includes(String(costType)))
    throw invalid('costType', `${costType} is not allowed with the optimization target ${target}`);
  if (isManual && Number((unitCost as Fields)['amount']) === 0) throw tooLow('unitCost/amount', '0', 0.01);
}

/** Enforces the limit of active campaigns. */
function checkActive({ sandbox, account, before }: Scene, fields: Fields): void {
  if (fields['status'] !== 'ACTIVE' || before?.fields['status'] === 'ACTIVE') return;
  const ids = sandbox.below(keyOf.account(account.id, 'campaign'));
  // Fewer campaigns than the limit need no count.
  if (ids.length <= most.active) return;
  const active = ids.filter((id) => sandbox.entities.get(id)?.fields['status'] === 'ACTIVE').length;
  if (active >= most.active) throw invalid('status', `${most.active} campaigns are active`, 'LIMIT_EXCEEDED');
}
