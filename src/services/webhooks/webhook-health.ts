import type { Ctx } from '../context.ts';

export interface HealthHour {
  /** Start of the hour. */
  at: Date;
  success: number;
  failure: number;
}

const hourMs = 3_600_000;
const hours = 24;
const maxWaitMs = 2_000;
const tookTooLong = 50;

/** Attempts of the last 24 hours by webhook and hour, oldest first; undefined if counting would take too long. */
export async function webhookHealth(ctx: Ctx, webhookIds: string[]): Promise<Map<string, HealthHour[]> | undefined> {
  const last = Math.floor(ctx.clock.now().getTime() / hourMs) * hourMs;
  const first = last - (hours - 1) * hourMs;
  const counts = await countAttempts(ctx, webhookIds, new Date(first));
  if (!counts) return undefined;
  const empty = (): HealthHour[] =>
    Array.from({ length: hours }, (_, at) => ({ at: new Date(first + at * hourMs), success: 0, failure: 0 }));
  const health = new Map(webhookIds.map((id) => [id, empty()]));
  for (const { _id, count } of counts) {
    const hour = health.get(_id.webhookId)?.[Math.round((_id.hour.getTime() - first) / hourMs)];
    if (hour) hour[_id.outcome] += count;
  }
  return health;
}

interface Count {
  _id: { webhookId: string; hour: Date; outcome: 'success' | 'failure' };
  count: number;
}

async function countAttempts({ db, caller }: Ctx, webhookIds: string[], since: Date): Promise<Count[] | undefined> {
  const startedAt = '$attempts.startedAt';
  // Ids begin with their time in seconds, so the index alone finds recent ones; the retry schedule ends after a day.
  const oldest = Math.floor((since.getTime() - hours * hourMs) / 1000).toString(16);
  try {
    return await db.webhookDeliveries
      .aggregate<Count>([
        { $match: { userId: caller.userId, webhookId: { $in: webhookIds }, _id: { $gte: oldest } } },
        { $unwind: '$attempts' },
        { $match: { 'attempts.startedAt': { $gte: since }, 'attempts.outcome': { $in: ['success', 'failure'] } } },
        {
          $group: {
            _id: {
              webhookId: '$webhookId',
              hour: { $dateTrunc: { date: startedAt, unit: 'hour' } },
              outcome: '$attempts.outcome',
            },
            count: { $sum: 1 },
          },
        },
      ])
      .option({ maxTimeMS: maxWaitMs });
  } catch (error) {
    if ((error as { code?: number }).code === tookTooLong) return undefined;
    throw error;
  }
}
