import { z } from 'zod';
import { Instant, InstantOut, ObjectId } from './common.ts';

export const RecoverDeliveriesInput = z
  .strictObject({
    webhookId: ObjectId.describe('The webhook'),
    since: Instant.describe('Start of the time range'),
    until: Instant.optional().describe('End of the time range; now if omitted'),
  })
  .refine(({ since, until }) => until === undefined || Date.parse(until) > Date.parse(since), {
    path: ['until'],
    error: 'must be later than since',
  })
  .meta({ id: 'RecoverDeliveriesInput', description: 'Which deliveries are resent' });
export type RecoverDeliveriesInput = z.output<typeof RecoverDeliveriesInput>;

export const Recovery = z
  .strictObject({
    recoveryId: ObjectId,
    webhookId: ObjectId,
    since: InstantOut.describe('Start of the time range'),
    until: InstantOut.describe('End of the time range'),
    state: z.enum(['queueing', 'sending', 'completed', 'cancelled']).meta({
      id: 'RecoveryState',
      description:
        'queueing: still searching for undelivered events; sending: all found, some not sent yet; cancelled: the webhook was deleted',
    }),
    found: z.int().describe('Undelivered events that are resent'),
    delivered: z.int().describe('Of these, those accepted by the receiver so far'),
    failed: z.int().describe('Of these, those that failed again or were cancelled'),
    createdAt: InstantOut,
  })
  .meta({ id: 'Recovery', description: 'A job that redelivers failed, held and skipped events.' });
export type Recovery = z.infer<typeof Recovery>;

export const RecoveryPayload = z
  .strictObject({ success: z.literal(true).describe('Always true; failures are errors'), recovery: Recovery })
  .meta({ id: 'RecoveryPayload', description: 'The current state of the recovery' });
export type RecoveryPayload = z.infer<typeof RecoveryPayload>;

export const GetRecoveryInput = z.strictObject({ recoveryId: ObjectId }).meta({ id: 'GetRecoveryInput' });
export type GetRecoveryInput = z.output<typeof GetRecoveryInput>;
