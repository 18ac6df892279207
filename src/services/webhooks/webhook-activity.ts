import type { ActivityAction } from '../../contract/activity.ts';
import type { PendingEvent } from '../../models/pending-event.ts';
import type { WebhookDoc } from '../../models/webhook.ts';
import { authorOf } from '../activity/author.ts';
import { changesOf, newActivity } from '../activity/new-activity.ts';
import type { Ctx } from '../context.ts';

/** Settings as a caller gives them. */
interface Settings {
  name?: string;
  url?: string;
  events?: string[];
  isActive?: boolean;
  ordering?: string;
  maxPerSecond?: number;
  plainSignature?: boolean;
  secret?: string | null;
  customHeaders?: Record<string, string> | null;
}

interface Changed {
  id: string;
  name: string;
  before?: WebhookDoc;
  set: Settings;
  once?: string;
}

type Action = Extract<ActivityAction, `webhook.${string}`>;

/** The entry of a changed webhook. Neither secrets nor the values of headers are in it, nor the path of its address. */
export function webhookActivity(ctx: Ctx, action: Action, { id, name, before, set, once }: Changed): PendingEvent {
  const { secret, url, customHeaders, ...plain } = set;
  const { name: _name, events, isActive, ordering, maxPerSecond, plainSignature } = plain;
  const changes = [
    ...changesOf(before ?? null, { name: set.name, events, isActive, ordering, maxPerSecond, plainSignature }),
    ...(url === undefined ? [] : changesOf({ url: hostOf(before?.url) }, { url: hostOf(url) })),
    ...(customHeaders === undefined
      ? []
      : changesOf({ customHeaders: before?.headerNames }, { customHeaders: Object.keys(customHeaders ?? {}) })),
    ...(secret === undefined ? [] : [{ field: 'secret', before: null, after: null }]),
  ];
  return newActivity({ action, author: authorOf(ctx), object: { id, name }, changes }, { at: ctx.clock.now(), once });
}

const hostOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : new URL(url).origin);
