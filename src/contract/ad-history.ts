import { z } from 'zod';
import { ActivityEntry } from './activity.ts';
import { Cursor, InstantOut, Limit, ObjectId, Page, Pagination } from './common.ts';

const SentRequest = z
  .strictObject({
    method: z.string().describe('HTTP method'),
    path: z.string().describe('Path without the query string; for an upload, only the host'),
    sentAt: InstantOut.describe('When it was sent'),
    durationMs: z.int().describe('Milliseconds until its response or its timeout'),
    status: z.int().nullable().describe('HTTP status of the response; null if there was none'),
    platformRequestId: z
      .string()
      .nullable()
      .describe('Id of the request at the platform, which its support asks for; null if the platform returned none'),
  })
  .meta({ id: 'SentRequest', description: 'A write that was sent to a platform, without its body' });

const HistoryStep = z
  .strictObject({
    name: z
      .string()
      .describe(
        'Name of the step: of an order `campaign`, `adSet`, `creative.0`, `ad.0` or `activate`, for example; of a change `change`',
      ),
    state: z.enum(['running', 'done', 'unknown', 'refused']).meta({
      id: 'HistoryStepState',
      description: 'State of a step. `unknown`: there was no usable response, so it may or may not have been executed',
    }),
    startedAt: InstantOut.describe('When the step started'),
    endedAt: InstantOut.nullable().describe('When its outcome was recorded; null before that'),
    platformId: z
      .string()
      .nullable()
      .describe('Id of the created or changed object at the platform; null if it is not known'),
    errorCode: z.string().nullable().describe('Error code of the platform; null without an error'),
    requests: z.array(SentRequest).describe('The requests that this step sent; reads and uploads are left out'),
  })
  .meta({
    id: 'HistoryStep',
    description: 'A step of an order or a change at the platform, with the requests that it sent',
  });
export type HistoryStep = z.infer<typeof HistoryStep>;

export const AdHistoryEntry = z
  .strictObject({
    ...ActivityEntry.shape,
    steps: z.array(HistoryStep).describe('The steps at the platform, in the order in which they were taken'),
  })
  .meta({
    id: 'AdHistoryEntry',
    description: 'A change of an ad, its ad set or its campaign, with the steps at the platform',
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
