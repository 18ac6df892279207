import { z } from 'zod';
import { InstantText } from '../tolerant.ts';

const Id = z.string();
const text = z.string().optional().nullable();
const instant = InstantText.optional().nullable();
const amount = z.number().optional().nullable();

export const dataOf = <T extends z.ZodType>(item: T) => z.object({ data: item });
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), next_cursor: z.string().optional().nullable() });

export const Made = dataOf(z.object({ id: Id }));
export const Promoted = dataOf(z.array(z.object({ id: Id })).min(1));
export const Tweet = z.object({ id_str: Id.optional(), tweet_id: Id.optional(), name: text, created_at: text });
export const CreatedTweet = dataOf(z.object({ id_str: Id }));
/** A batch may list errors next to created objects, but it is atomic. */
export const CreatedCriteria = dataOf(z.array(z.object({ id: Id })).min(1));

export const AccountWire = z.object({
  id: Id,
  name: z.string().default(''),
  timezone: text,
  approval_status: text,
  deleted: z.boolean().optional(),
});
export const FundingInstrument = z.object({
  id: Id,
  currency: z.string(),
  able_to_fund: z.boolean().optional(),
  entity_status: text,
  reasons_not_able_to_fund: z.array(z.string()).optional().nullable(),
  deleted: z.boolean().optional(),
});
/** Whether it can pay for ads. */
export const isUsable = ({ able_to_fund: isAble, entity_status: status, deleted }: FundingInstrument): boolean =>
  isAble === true && status === 'ACTIVE' && !deleted;
export const PromotableUser = z.object({ user_id: Id, promotable_user_type: z.string() });
export const Location = z.object({
  targeting_value: z.string(),
  name: z.string(),
  location_type: z.string().optional(),
  country_code: text,
});
export const Language = z.object({ targeting_value: z.string() });
export const Interest = z.object({ targeting_value: z.coerce.string(), name: z.string() });
export const Criterion = z.object({ id: Id, targeting_type: z.string(), targeting_value: z.coerce.string() });

const state = { entity_status: text, created_at: instant, deleted: z.boolean().optional() };
const amounts = { daily_budget_amount_local_micro: amount, total_budget_amount_local_micro: amount };
export const Campaign = z.object({
  id: Id,
  name: z.string().default(''),
  effective_status: text,
  ...amounts,
  ...state,
});
export const LineItem = z.object({
  id: Id,
  campaign_id: Id,
  name: text,
  objective: text,
  goal: text,
  bid_strategy: text,
  bid_amount_local_micro: amount,
  ...amounts,
  start_time: instant,
  end_time: instant,
  ...state,
});
export const PromotedTweet = z.object({ id: Id, line_item_id: Id, tweet_id: Id, approval_status: text, ...state });
export type FundingInstrument = z.infer<typeof FundingInstrument>;
export type Campaign = z.infer<typeof Campaign>;
export type LineItem = z.infer<typeof LineItem>;
export type PromotedTweet = z.infer<typeof PromotedTweet>;
