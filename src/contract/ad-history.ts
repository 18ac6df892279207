import { z } from 'zod';
import { ActivityEntry } from './activity.ts';
import { Cursor, InstantOut, Limit, ObjectId, Page, Pagination } from './common.ts';

const SentRequest = z
  .strictObject({
    method: z.string().describe('HTTP method'),
    path: z.string().describe('Path without query; of an upload, the host only'),
    sentAt: InstantOut.describe('When it was sent'),
    durationMs: z.int().describe('Milliseconds until its response or its timeout'),
    status: z.int().nullable().describe('HTTP status of the response; null if there was none'),
    platformRequestId: z
      .string()
      .nullable()
      .describe('The id that the platform gave the request: quote it to the support of the platform'),
  })
  .meta({ id: 'SentRequest', description: 'A write that was sent to a platform, without its content' });

const HistoryStep = z
  .strictObject({
    name: z
      .string()
      .describe('`campaign`, `adSet`, `creative.0`, `ad.0`, `activate` ... of an order; `change` of a change'),
    state: z.enum(['running', 'done', 'unknown', 'refused']).meta({
      id: 'HistoryStepState',
      description: 'unknown: there was no usable response, so it may or may not have been executed',
    }),
    startedAt: InstantOut,
    endedAt: InstantOut.nullable(),
    platformId: z.string().nullable().describe('The id of the object at the platform'),
    errorCode: z.string().nullable().describe("The platform's code of the error"),
    requests: z.array(SentRequest).describe('The writes of this step; reads and uploads are left out'),
  })
  .meta({ id: 'HistoryStep', description: 'A step at a platform' });
export type HistoryStep = z.infer<typeof HistoryStep>;

export const AdHistoryEntry = z
  .strictObject({ ...ActivityEntry.shape, steps: z.array(HistoryStep).describe('What was sent, in order') })
  .meta({
    id: 'AdHistoryEntry',
    description: 'What was done to an ad, or to its ad set or campaign, and what was sent for it',
  });
export type AdHistoryEntry = z.infer<typeof AdHistoryEntry>;

export const AdHistoryInput = z
  .strictObject({ adId: ObjectId, page: Page, cursor: Cursor, limit: Limit })
  .meta({ id: 'AdHistoryInput' });
export type AdHistoryInput = z.output<typeof AdHistoryInput>;

export const AdHistoryResult = z
  .strictObject({ history: z.array(AdHistoryEntry), pagination: Pagination })
  .meta({ id: 'AdHistoryResult' });
export type AdHistoryResult = z.infer<typeof AdHistoryResult>;
