import {
  checkMoney,
  checkSchedule,
  checkStatus,
  checkTotal,
  requireOwnAccount,
  totalOf,
  type Check,
  type Scene,
} from './checks.ts';
import { badRequest, invalid, together } from './errors.ts';
import { entitiesOf, keyOf, urnOf, type Entity } from './state.ts';
import { filled, isRecord, long, money, oneOf, record, schedule, urn, type Fields } from './shape.ts';

export const groupShape = record({
  fields: {
    account: urn('sponsoredAccount'),
    name: filled(100),
    status: oneOf('ACTIVE', 'ARCHIVED', 'CANCELED', 'DRAFT', 'PAUSED', 'PENDING_DELETION'),
    runSchedule: schedule,
    totalBudget: money,
    objectiveType: oneOf(
      'BRAND_AWARENESS',
      'ENGAGEMENT',
      'JOB_APPLICANT',
      'LEAD_GENERATION',
      'VIDEO_VIEW',
      'WEBSITE_CONVERSION',
      'WEBSITE_VISIT',
    ),
    dailyBudget: money,
    budgetOptimization: record({
      fields: {
        budgetOptimizationStrategy: oneOf('DYNAMIC'),
        bidStrategy: oneOf('MAXIMUM_DELIVERY', 'MANUAL', 'COST_CAP'),
      },
      required: ['budgetOptimizationStrategy'],
    }),
    defaultAttributionWindow: long,
  },
  required: ['account', 'name', 'status', 'runSchedule'],
  readOnly: ['id', 'test', 'version', 'servingStatuses', 'changeAuditStamps', 'allowedCampaignTypes', 'backfilled'],
});

/** Whether the group distributes its budget to its campaigns. */
export const isDynamic = ({ budgetOptimization }: Fields): boolean =>
  isRecord(budgetOptimization) && budgetOptimization['budgetOptimizationStrategy'] === 'DYNAMIC';

/** Validates a new or updated campaign group. */
export const checkGroup: Check = (scene, fields) => {
  const { account, before } = scene;
  if (before?.isBackfilled)
    throw badRequest('The default campaign group cannot be updated', 'CANNOT_UPDATE_BACKFILLED_CAMPAIGN_GROUPS');
  requireOwnAccount(account, fields);
  together(
    () => checkStatus(fields, before),
    () => checkSchedule(fields, before),
    () => checkMoney(account, fields),
    () => checkBudget(scene, fields),
    () => checkDynamic(fields, before),
  );
};

/** The budget is distributed by objective and bid strategy, which therefore are the same for all campaigns. */
function checkDynamic(fields: Fields, before: Entity | undefined): void {
  const was = before?.fields['objectiveType'];
  if (was !== undefined && fields['objectiveType'] !== was)
    throw invalid('objectiveType', `can't be changed from ${String(was)}`, 'OBJECTIVE_CHANGE_NOT_ALLOWED');
  if (!isDynamic(fields)) return;
  if (fields['objectiveType'] === undefined)
    throw invalid('objectiveType', 'is required for a dynamic group', 'CONDITIONAL_MISSING_FIELD');
  if ((fields['budgetOptimization'] as Fields)['bidStrategy'] === undefined)
    throw invalid('budgetOptimization/bidStrategy', 'is required for a dynamic group', 'CONDITIONAL_MISSING_FIELD');
}

function checkBudget({ sandbox, account, before }: Scene, fields: Fields): void {
  const { end } = fields['runSchedule'] as { end?: number };
  if (isDynamic(fields) && fields['dailyBudget'] === undefined && fields['totalBudget'] === undefined)
    throw invalid('dailyBudget', 'or totalBudget is required for a dynamic group', 'MISSING_FIELD');
  if (fields['totalBudget'] !== undefined && end === undefined)
    throw invalid('runSchedule/end', 'is required if totalBudget is set', 'CONDITIONAL_MISSING_FIELD');
  checkTotal(account, fields);
  const limit = isDynamic(fields) ? undefined : totalOf(fields);
  const below = before ? entitiesOf(sandbox, sandbox.below(keyOf.parent(urnOf(before)))) : [];
  if (limit !== undefined && below.some((campaign) => (totalOf(campaign.fields) ?? 0) > limit))
    throw invalid('totalBudget', 'is lower than that of a campaign in the group', 'INSUFFICIENT_CAMPAIGN_GROUP_BUDGET');
}
