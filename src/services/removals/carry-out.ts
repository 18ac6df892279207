import type { RemovalDoc } from '../../models/removal.ts';
import { PlatformError, type PlatformFault } from '../../platforms/error.ts';
import type { Removable, RemovalMode } from '../../platforms/platform.ts';
import { withAccess } from '../accounts/platform-access.ts';
import type { AdTarget } from '../ads/ad-target.ts';
import { adAccountLost, accessibleAdAccounts } from '../ads/accessible-ad-accounts.ts';
import { setLevelStatus } from '../ads/set-level-status.ts';
import type { Services } from '../context.ts';
import { refOf } from './removal-store.ts';

/** Whether the platform shows the object as removed in this mode, or does not find it. */
export const isRemoved = (mode: RemovalMode, removable: Removable | undefined): boolean =>
  removable === undefined || removable.status === 'deleted' || (mode === 'archive' && removable.status === 'archived');

export const readRemovable = (
  services: Services,
  { account, adapter }: AdTarget,
  removal: RemovalDoc,
): Promise<Removable | undefined> =>
  withAccess(services, account, (access) => adapter.readRemovable(access, refOf(removal)));

interface Execution {
  target: AdTarget;
  removable: Removable | undefined;
  /** Receives what was changed before the removal. */
  changes?: string[];
}

/** Pauses a running ad set or campaign, then removes the object at the platform, unless it is already removed. */
export async function carryOut(
  services: Services,
  removal: RemovalDoc,
  { target, removable, changes = [] }: Execution,
): Promise<void> {
  const { kind, mode, author } = removal;
  if (removable === undefined) return requireAccessible(services, removal, target);
  if (isRemoved(mode, removable)) return;
  if (kind !== 'ad' && removable.status === 'active') {
    await setLevelStatus(services, { kind, target, ref: refOf(removal), author }, 'PAUSED');
    changes.push('status');
  }
  const { account, adapter } = target;
  try {
    await withAccess(services, account, (access) => adapter.remove(access, refOf(removal), { mode, removable }));
  } catch (error) {
    // The response of an earlier attempt may have been lost, so the object is read again.
    if (!(error instanceof PlatformError) || !mayBeRemoved.has(error.fault)) throw error;
    const after = await readRemovable(services, target, removal).catch(() => removable);
    if (!isRemoved(mode, after)) throw error;
    if (after === undefined)
      await requireAccessible(services, removal, target).catch((inaccessible: unknown) => {
        // That the ad account cannot be verified does not make an unknown outcome certain.
        throw error.fault === 'unknown_outcome' ? error : inaccessible;
      });
  }
}

/** To a connection without access, an object that still runs appears deleted. */
async function requireAccessible(
  services: Services,
  { adAccount: { id } }: RemovalDoc,
  target: AdTarget,
): Promise<void> {
  if (!(await accessibleAdAccounts(services, target)).has(id)) throw adAccountLost(target.adapter.platform, id);
}

const mayBeRemoved = new Set<PlatformFault>(['unknown_outcome', 'rejected', 'not_found']);
