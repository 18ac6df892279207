import { checkMoney, checkSchedule, checkStatus, requireOwnAccount, type Check } from './checks.ts';
import { invalid, together } from './errors.ts';
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
export const checkGroup: Check = ({ account, before }, fields) => {
  requireOwnAccount(account, fields);
  together(
    () => checkStatus(fields, before),
    () => checkSchedule(fields, before),
    () => checkMoney(account, fields),
    () => checkBudget(fields),
  );
};

function checkBudget(fields: Fields): void {
  const { end } = fields['runSchedule'] as { end?: number };
  if (isDynamic(fields) && fields['dailyBudget'] === undefined && fields['totalBudget'] === undefined)
    throw invalid('dailyBudget', 'or totalBudget is required for a dynamic group', 'MISSING_FIELD');
  if (fields['totalBudget'] !== undefined && end === undefined)
    throw invalid('runSchedule/end', 'is required if totalBudget is set', 'CONDITIONAL_MISSING_FIELD');
}
