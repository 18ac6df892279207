import { timeIn } from './checks.ts';
import type { Thing, SandboxState } from './state.ts';

export const parentOf = (sandbox: SandboxState, thing: Thing): Thing | undefined =>
  thing.kind === 'ad'
    ? sandbox.find('adgroup', String(thing.fields['adgroup_id']))
    : thing.kind === 'adgroup'
      ? sandbox.find('campaign', String(thing.fields['campaign_id']))
      : undefined;

const isPaused = (thing: Thing | undefined): boolean => thing?.fields['operation_status'] === 'DISABLE';

/** The delivery status: own switch first, then parents, schedule and review. */
export function secondaryStatus(sandbox: SandboxState, thing: Thing): string {
  const parent = parentOf(sandbox, thing);
  if (thing.kind === 'campaign') {
    return `CAMPAIGN_STATUS_${thing.isDeleted ? 'DELETE' : isPaused(thing) ? 'DISABLE' : 'ENABLE'}`;
  }
  if (thing.kind === 'adgroup') return `ADGROUP_STATUS_${groupState(thing, parent)}`;
  const campaign = parent && parentOf(sandbox, parent);
  if (thing.isDeleted) return parent?.isDeleted ? 'AD_STATUS_ADGROUP_DELETE' : 'AD_STATUS_DELETE';
  if (isPaused(thing)) return 'AD_STATUS_DISABLE';
  const [, review] = /\[review:(pending|rejected)\]/.exec(String(thing.fields['ad_name'])) ?? [];
  if (review) return review === 'pending' ? 'AD_STATUS_AUDIT' : 'AD_STATUS_AUDIT_DENY';
  const above = parent ? groupState(parent, campaign) : 'DELIVERY_OK';
  if (above === 'DISABLE') return 'AD_STATUS_ADGROUP_DISABLE';
  if (above === 'TIME_DONE') return 'AD_STATUS_DONE';
  return `AD_STATUS_${above}`;
}

function groupState(group: Thing, campaign: Thing | undefined): string {
  if (group.isDeleted) return campaign?.isDeleted ? 'CAMPAIGN_DELETE' : 'DELETE';
  const end = group.fields['schedule_type'] === 'SCHEDULE_START_END' && timeIn(group.fields, 'schedule_end_time');
  if (end && end <= Date.now()) return 'TIME_DONE';
  if (isPaused(group)) return 'DISABLE';
  if (isPaused(campaign)) return 'CAMPAIGN_DISABLE';
  const start = timeIn(group.fields, 'schedule_start_time') ?? 0;
  return start > Date.now() ? 'NOT_START' : 'DELIVERY_OK';
}

export const primaryStatuses = [
  'STATUS_NOT_DELETE',
  'STATUS_ALL',
  'STATUS_DELETE',
  'STATUS_DELIVERY_OK',
  'STATUS_NOT_DELIVERY',
  'STATUS_DISABLE',
  'STATUS_TIME_DONE',
];

export function hasPrimaryStatus(sandbox: SandboxState, thing: Thing, requested: string): boolean {
  const isDeleted = thing.isDeleted === true;
  if (requested === 'STATUS_ALL') return true;
  if (requested === 'STATUS_DELETE') return isDeleted;
  if (requested === 'STATUS_NOT_DELETE' || isDeleted) return requested === 'STATUS_NOT_DELETE' && !isDeleted;
  const status = secondaryStatus(sandbox, thing);
  if (requested === 'STATUS_DISABLE') return isPaused(thing);
  if (requested === 'STATUS_TIME_DONE') return status.endsWith('DONE');
  const isDelivered = /(DELIVERY_OK|STATUS_ENABLE)$/.test(status);
  return requested === 'STATUS_DELIVERY_OK' ? isDelivered : !isDelivered;
}

/** Deletes an object and its children. */
export function remove(sandbox: SandboxState, thing: Thing): void {
  const below =
    thing.kind === 'campaign'
      ? [...sandbox.below('adgroup', thing.id), ...sandbox.below('ad', thing.id)]
      : thing.kind === 'adgroup'
        ? sandbox.below('ad', thing.id)
        : [];
  for (const each of [thing, ...below]) {
    if (each.isDeleted) continue;
    Object.assign(each, { isDeleted: true, modifiedAt: Date.now() });
    sandbox.save(each);
  }
}
