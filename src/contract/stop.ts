import { z } from 'zod';
import { Flag, InstantOut, ObjectId, RemoteId } from './common.ts';
import { AccountPlatform } from './platforms.ts';

export const StopStatus = z.enum(['running', 'completed', 'lifted']).meta({
  id: 'StopStatus',
  description:
    'Status of a stop. `completed`: every campaign is paused or named in `failures`; the stop is still in force',
});

export const StopFailure = z
  .strictObject({
    campaignId: z.string().describe('Id of the campaign at the platform'),
    name: z.string().describe('Name of the campaign'),
    platform: AccountPlatform,
    accountId: ObjectId.describe('Id of the connected account'),
    message: z.string().describe('Why it could not be paused'),
    isFinal: z.boolean().describe('True if the service no longer tries to pause it; otherwise it tries again'),
  })
  .meta({ id: 'StopFailure', description: 'A campaign that could not be paused' });

export const Stop = z
  .strictObject({
    _id: ObjectId,
    status: StopStatus,
    accountId: ObjectId.nullable().describe(
      'Id of the connected account that is stopped; null if the stop is for another target',
    ),
    adAccountId: z
      .string()
      .nullable()
      .describe('Id of the ad account that is stopped; null if the stop is for another target'),
    keyId: ObjectId.nullable().describe('Id of the API key that is stopped; null if the stop is for another target'),
    includeExternal: z.boolean().describe('Whether campaigns that were created outside this API are paused too'),
    total: z.int().describe('Number of campaigns to pause'),
    paused: z.int().describe('Number of campaigns that are paused so far'),
    failed: z.int().describe('Number of campaigns that could not be paused so far'),
    failures: z.array(StopFailure).describe('The first 100 campaigns that could not be paused'),
    createdAt: InstantOut.describe('When it came into force'),
    completedAt: InstantOut.nullable().describe('When nothing was left to pause; null before that'),
    liftedAt: InstantOut.nullable().describe('When it was lifted; null while it is in force'),
  })
  .meta({
    id: 'Stop',
    description: 'An emergency stop: it pauses campaigns and refuses activations until it is lifted',
  });
export type Stop = z.infer<typeof Stop>;

const targets = ['accountId', 'adAccountId', 'keyId'] as const;

export const PauseEverythingInput = z
  .strictObject({
    accountId: ObjectId.optional().describe('Stops all ad accounts of a connected account'),
    adAccountId: RemoteId.optional().describe('Stops an ad account for all connected accounts'),
    keyId: ObjectId.optional().describe('Stops the campaigns that an API key ordered, and the key itself'),
    includeExternal: z.boolean().default(false).describe('Also pauses campaigns that were created outside this API'),
  })
  .superRefine(
    (input, check) => {
      const given = targets.filter((name) => (input as Partial<typeof input>)[name] !== undefined);
      if (given.length === 1) return;
      const code = given.length === 0 ? 'missing_required_field' : 'mutually_exclusive_fields';
      const message =
        given.length === 0 ? `is required, or ${targets.slice(1).join(' or ')}` : `cannot be combined with ${given[0]}`;
      check.addIssue({ code: 'custom', path: [given[1] ?? targets[0]], params: { code }, message });
    },
    { when: () => true },
  )
  .meta({ id: 'PauseEverythingInput', description: 'What to stop: exactly one of accountId, adAccountId and keyId' });
export type PauseEverythingInput = z.output<typeof PauseEverythingInput>;

export const StopInput = z
  .strictObject({ stopId: ObjectId.describe('Id of the stop, as `pauseEverything` returns it') })
  .meta({ id: 'StopInput' });
export type StopInput = z.output<typeof StopInput>;

export const StopPayload = z
  .strictObject({ stop: Stop, message: z.string().describe('Human-readable message') })
  .meta({ id: 'StopPayload', description: 'The stop after the call' });
export type StopPayload = z.infer<typeof StopPayload>;

export const StopResult = z.strictObject({ stop: Stop }).meta({ id: 'StopResult' });
export type StopResult = z.infer<typeof StopResult>;

export const ListStopsInput = z
  .strictObject({ inForce: Flag.default(true).describe('Only stops that are not lifted') })
  .meta({ id: 'ListStopsInput' });
export type ListStopsInput = z.output<typeof ListStopsInput>;

export const ListStopsResult = z
  .strictObject({ stops: z.array(Stop) })
  .meta({ id: 'ListStopsResult', description: 'The last 100 stops, newest first' });
export type ListStopsResult = z.infer<typeof ListStopsResult>;
