import { sha256 } from '../../lib/hash.ts';
import { newId } from '../../lib/id.ts';
import type { ActivityChange, ActivityFacts } from '../../models/activity.ts';
import { keptSteps } from './sent-steps.ts';
import { activityType, type PendingEvent } from '../../models/pending-event.ts';

type NewActivity = Omit<ActivityFacts, 'object'> & { object: Omit<ActivityFacts['object'], 'type'> };

interface When {
  at: Date;
  /** What makes the entry of a repeated write the same one. */
  once?: string;
}

/** Creates an entry of the activity trail for the document write of its change. */
export const newActivity = ({ object, steps = [], ...facts }: NewActivity, { at, once }: When): PendingEvent => ({
  eventId: once === undefined ? newId() : sha256(`activity ${facts.action} ${once}`).slice(0, 24),
  type: activityType,
  at,
  data: {
    ...facts,
    object: { type: facts.action.split('.')[0], ...object },
    ...(steps.length > 0 && { steps: keptSteps(steps) }),
  },
});

/** The members of an object that were set, with their values. */
export const changesOf = (before: object | null, after: object): ActivityChange[] =>
  Object.entries(after).flatMap(([field, value]: [string, unknown]) =>
    value === undefined ? [] : { field, before: valueOf(before, field), after: value ?? null },
  );

const valueOf = (object: object | null, field: string): unknown =>
  (object as Record<string, unknown> | null)?.[field] ?? null;
