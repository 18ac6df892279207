import { z } from 'zod';
import { unscaled } from '../decimal.ts';
import { columns } from './figure-columns.ts';
import { TargetingWire } from './targeting-read.ts';
import { Figure, PlatformId, Seconds, tolerant } from '../tolerant.ts';

const Id = z.string();
const text = z.string().optional().nullable();

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), bookmark: z.string().optional().nullable() });

const Exception = z.object({ code: z.number().optional(), message: z.string().optional() });
/** Campaigns and ad groups carry a list of exceptions, ads a single one. */
const exceptions = z
  .union([z.array(Exception), Exception])
  .optional()
  .nullable()
  .transform((found) =>
    [found ?? []].flat().filter(({ code, message }) => code !== undefined || message !== undefined),
  );
export const Elements = z.object({
  items: z.array(z.object({ data: z.object({ id: Id.optional() }).optional().nullable(), exceptions })),
});

export const Board = z.object({ id: Id, name: z.string() });
export const Made = z.object({ id: Id });
export const Pin = z.object({
  id: Id,
  title: text,
  description: text,
  link: text,
  created_at: text,
  has_been_promoted: z.boolean().optional().nullable(),
});

export const AdAccountWire = z.object({
  id: Id,
  name: z.string().default(''),
  currency: z.string(),
  time_zone: text,
});

const seconds = Seconds.optional().nullable();
export const Campaign = z.object({
  id: Id,
  name: z.string().default(''),
  status: z.string(),
  objective_type: text,
  is_campaign_budget_optimization: z.boolean().optional().nullable(),
  daily_spend_cap: z.number().optional().nullable(),
  lifetime_spend_cap: z.number().optional().nullable(),
  start_time: seconds,
  end_time: seconds,
  created_time: seconds,
});
export const AdGroup = z.object({
  id: Id,
  name: z.string().default(''),
  status: z.string(),
  campaign_id: Id,
  budget_in_micro_currency: z.number().optional().nullable(),
  budget_type: text,
  bid_in_micro_currency: z.number().optional().nullable(),
  bid_strategy_type: text,
  targeting_spec: TargetingWire.optional().nullable(),
  start_time: seconds,
  end_time: seconds,
  created_time: seconds,
});
export const Ad = z.object({
  id: Id,
  name: text,
  status: z.string(),
  ad_group_id: Id,
  campaign_id: Id,
  review_status: text,
  rejected_reasons: z.array(z.string()).optional().nullable(),
  created_time: seconds,
});
export type Campaign = z.infer<typeof Campaign>;
export type AdGroup = z.infer<typeof AdGroup>;
export type Ad = z.infer<typeof Ad>;

const [spend, impressions, clicks] = [columns.spend[0], columns.impressions[0], columns.clicks[0]];
/** Like reports, discovery takes a column that is left out for zero, and a row without any figure for invalid. */
const hasFigure = (row: object): boolean => Object.keys(row).length > 1;
const figureOf = (value: unknown): number => (typeof value === 'number' ? value : 0);
export const analyticsOf = (idColumn: string) =>
  z.array(
    tolerant(
      z
        .object({
          [idColumn]: PlatformId,
          [spend]: Figure.optional(),
          [impressions]: Figure.optional(),
          [clicks]: Figure.optional(),
        })
        .refine(hasFigure, 'has none of the requested columns')
        .transform((row) => ({
          id: String(row[idColumn]),
          spend: unscaled(figureOf(row[spend]), 6),
          impressions: figureOf(row[impressions]),
          clicks: figureOf(row[clicks]),
        })),
      { objectType: 'figures', idAt: [idColumn], essential: [spend, impressions, clicks] },
    ),
  );
export const analyticsColumns = [spend, impressions, clicks].join(',');

/** Options are a list of `{id: name}`, or of objects with an id and a name. */
export const TargetingOptions = z
  .array(z.record(z.string(), z.unknown()))
  .transform((options) =>
    options.flatMap((option) =>
      typeof option['id'] === 'string' && typeof option['name'] === 'string'
        ? [{ id: option['id'], name: option['name'] }]
        : Object.entries(option).map(([id, name]) => ({ id, name: String(name) })),
    ),
  );

export const toSeconds = (date: Date | string): number => Math.floor(new Date(date).getTime() / 1000);
export const fromSeconds = (time: number | null | undefined): Date | undefined =>
  typeof time === 'number' ? new Date(time * 1000) : undefined;
/** Pin timestamps are UTC without a designator. */
export const fromStamp = (time: string | null | undefined): Date | undefined =>
  time ? new Date(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`) : undefined;
