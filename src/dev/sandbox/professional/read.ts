import { hasStarted } from '../started.ts';
import { accountUrn, entityAt, organizationUrn, personUrn, urnOf } from './state.ts';
import type { AdAccount, Entity, SandboxState } from './state.ts';
import type { Param } from './restli.ts';
import type { Fields } from './shape.ts';

const stamps = (created: number, modified: number, actor: string): Fields => ({
  created: { actor, time: created },
  lastModified: { actor, time: modified },
});

export const showAccount = (account: AdAccount): Fields => ({
  id: Number(account.id),
  name: account.name,
  currency: account.currency,
  status: account.status ?? 'ACTIVE',
  type: 'BUSINESS',
  reference:
    account.organizationId === undefined ? personUrn(account.personId) : organizationUrn(account.organizationId),
  servingStatuses: account.servingStatuses ?? ['RUNNABLE'],
  test: false,
  version: { versionTag: '1' },
  changeAuditStamps: stamps(account.createdAt, account.createdAt, personUrn(account.personId)),
});

/** Formats an entity. */
export function showEntity(sandbox: SandboxState, entity: Entity): Fields {
  const actor = personUrn(entity.createdBy);
  if (entity.kind === 'creative') {
    const holds = holdsOf(sandbox, entity);
    return {
      id: urnOf(entity),
      account: accountUrn(entity.accountId),
      ...entity.fields,
      review: reviewOf(sandbox, entity),
      isServing: holds.length === 0,
      isTest: false,
      servingHoldReasons: holds,
      createdAt: entity.createdAt,
      createdBy: actor,
      lastModifiedAt: entity.updatedAt,
      lastModifiedBy: actor,
    };
  }
  return {
    id: Number(entity.id),
    ...entity.fields,
    ...(entity.kind === 'group' && { backfilled: entity.isBackfilled ?? false }),
    servingStatuses: servingStatuses(sandbox, entity),
    test: false,
    version: { versionTag: String(entity.version) },
    changeAuditStamps: stamps(entity.createdAt, entity.updatedAt, actor),
  };
}

/** The start of a campaign or group, in milliseconds. */
export const startOf = ({ fields: { runSchedule } }: Entity): number =>
  (runSchedule as { start?: number } | undefined)?.start ?? 0;

function servingStatuses(sandbox: SandboxState, entity: Entity): string[] {
  const { kind, fields } = entity;
  const group = kind === 'campaign' ? entityAt(sandbox, fields['campaignGroup'], 'group') : undefined;
  const holds = [
    ...(fields['status'] === 'ACTIVE' ? [] : ['STOPPED']),
    ...(group && group.fields['status'] !== 'ACTIVE' ? ['CAMPAIGN_GROUP_STATUS_HOLD'] : []),
    ...(!hasStarted(startOf(entity)) ? [`${kind === 'group' ? 'CAMPAIGN_GROUP' : 'CAMPAIGN'}_START_DATE_HOLD`] : []),
    ...(group && !hasStarted(startOf(group)) ? ['CAMPAIGN_GROUP_START_DATE_HOLD'] : []),
  ];
  return holds.length === 0 ? ['RUNNABLE'] : holds;
}

function holdsOf(sandbox: SandboxState, creative: Entity): string[] {
  const { status } = reviewOf(sandbox, creative);
  const campaign = entityAt(sandbox, creative.fields['campaign'], 'campaign');
  const above = campaign ? servingStatuses(sandbox, campaign) : ['STOPPED'];
  return [
    ...(creative.fields['intendedStatus'] === 'ACTIVE' ? [] : ['STOPPED']),
    ...(above.includes('STOPPED') ? ['CAMPAIGN_STOPPED'] : []),
    ...(above.includes('CAMPAIGN_GROUP_STATUS_HOLD') ? ['CAMPAIGN_GROUP_STATUS_HOLD'] : []),
    ...above.filter((hold) => hold.endsWith('START_DATE_HOLD')),
    ...(status === 'APPROVED' ? [] : [status === 'PENDING' ? 'UNDER_REVIEW' : 'REJECTED']),
  ];
}

/** The name of the creative, or of its content, determines the review. */
function reviewOf(sandbox: SandboxState, { fields }: Entity): { status: string; rejectionReasons?: string[] } {
  const post = sandbox.posts.get(String((fields['content'] as Fields)['reference']));
  const context = post?.fields['adContext'] as Fields | undefined;
  const requested = /\[review:(pending|rejected)\]/.exec(`${fields['name']} ${context?.['dscName']}`)?.[1];
  if (requested === 'pending') return { status: 'PENDING' };
  if (requested !== 'rejected') return { status: 'APPROVED' };
  // The platform's list of reasons is unconfirmed.
  return { status: 'REJECTED', rejectionReasons: ['MISLEADING_CONTENT'] };
}

/** Only the requested fields, if any are named. */
export const projected = (fields: Fields, requested: Param | undefined): Fields =>
  Array.isArray(requested)
    ? Object.fromEntries(Object.entries(fields).filter(([name]) => requested.includes(name)))
    : fields;
