import { z } from 'zod';
import { Instant, InstantOut, ObjectId } from './common.ts';

export const RecoverDeliveriesInput = z
  .strictObject({
    webhookId: ObjectId.describe('The webhook'),
    since: Instant.describe('Deliveries made from here on are looked at'),
    until: Instant.optional().describe('And up to here; now when left out'),
  })
  .refine(({ since, until }) => until === undefined || Date.parse(until) > Date.parse(since), {
    path: ['until'],
    error: 'must be later than since',
  })
  .meta({ id: 'RecoverDeliveriesInput', description: 'Which deliveries are sent again' });
export type RecoverDeliveriesInput = z.output<typeof RecoverDeliveriesInput>;

export const Recovery = z
  .strictObject({
    recoveryId: ObjectId,
    webhookId: ObjectId,
    since: InstantOut.describe('Deliveries made from here on are looked at'),
    until: InstantOut.describe('And up to here'),
    state: z.enum(['queueing', 'sending', 'completed', 'cancelled']).meta({
      id: 'RecoveryState',
      description:
        'queueing: still looking for what was never delivered; sending: all found, some not sent yet; cancelled: the webhook was deleted',
    }),
    found: z.int().describe('Events that were never delivered and go out again'),
    delivered: z.int().describe('Of these, those that the receiver has accepted by now'),
    failed: z.int().describe('Of these, those that failed again or were given up'),
    createdAt: InstantOut,
  })
  .meta({ id: 'Recovery', description: 'A job that redelivers failed, held and skipped events.' });
export type Recovery = z.infer<typeof Recovery>;

export const RecoveryPayload = z
  .strictObject({ success: z.literal(true).describe('Always true; what fails is an error'), recovery: Recovery })
  .meta({ id: 'RecoveryPayload', description: 'The recovery as it is now' });
export type RecoveryPayload = z.infer<typeof RecoveryPayload>;

export const GetRecoveryInput = z.strictObject({ recoveryId: ObjectId }).meta({ id: 'GetRecoveryInput' });
export type GetRecoveryInput = z.output<typeof GetRecoveryInput>;
