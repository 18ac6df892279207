import { hasPendingEvents } from '../../models/pending-event.ts';
import type { Services } from '../context.ts';
import type { WorkQuery } from '../durable/find-work.ts';
import { outboxCollections } from '../durable/outbox.ts';
import { openStates } from './delivery-states.ts';

type Stores = Pick<Services, 'db' | 'clock'>;

/** What the workers of webhooks poll for. The work itself reads what is due. */
export const webhookWork = {
  relay: ({ db }: Stores): WorkQuery[] => outboxCollections(db).map((source) => ({ source, filter: hasPendingEvents })),
  sweep: ({ db, clock }: Stores): WorkQuery[] => [
    { source: db.webhookDeliveries, filter: { state: { $in: openStates } } },
    { source: db.webhooks, filter: { nextProbeAt: { $type: 'date', $lte: clock.now() }, isActive: true } },
  ],
  redeliveries: ({ db }: Stores): WorkQuery[] => [
    { source: db.webhookDeliveries, filter: { trigger: 'manual', state: 'pending' } },
  ],
  recoveries: ({ db }: Stores): WorkQuery[] => [{ source: db.webhookRecoveries, filter: { state: 'scanning' } }],
};
