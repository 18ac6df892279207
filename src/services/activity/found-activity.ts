import type { AdStatus } from '../../contract/ad.ts';
import type { AdDoc } from '../../models/ad.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import { switchActivity } from '../ads/apply-status.ts';
import { atPlatform } from './author.ts';
import { changesOf } from './new-activity.ts';

type Switch = Pick<AdDoc, 'isPaused' | 'isPausedByAdSet'>;

const isOwn = ({ isPaused, isPausedByAdSet }: Partial<Switch>): boolean =>
  typeof isPaused === 'boolean' && isPausedByAdSet !== true;

/** Whether the ad itself was paused or resumed at the platform, and not its ad set or its campaign. */
export const isSwitchedItself = (before: Partial<Switch>, found: Partial<Switch>): boolean =>
  found.isPaused !== undefined && found.isPaused !== before.isPaused && isOwn(before) && isOwn(found);

/** The entry of an ad whose status a discovery found changed at the platform. */
export const foundAdStatus = (after: AdDoc, was: AdStatus): PendingEvent =>
  switchActivity(after, {
    author: atPlatform,
    at: after.updatedAt,
    changes: changesOf({ status: was }, { status: after.status }),
    steps: [],
  });
