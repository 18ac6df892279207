import { newId } from '../lib/id.ts';
import type { PendingEvent } from '../models/pending-event.ts';

/** An event for the same document write as the change that it tells of. */
export const pendingEvent = (type: string, data: Record<string, unknown>, at: Date): PendingEvent => ({
  eventId: `evt_${newId()}`,
  type,
  at,
  data,
});
