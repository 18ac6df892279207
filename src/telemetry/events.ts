import { channel } from 'node:diagnostics_channel';
import type { faults } from './metric-table.ts';

/** A diagnostics channel for metrics and tracing; near-zero cost without subscribers. */
export interface Signal<T> {
  emit: (message: T) => void;
  /** Returns a function that removes the listener. */
  on: (listener: (message: T) => void) => () => void;
}

function signal<T>(name: string): Signal<T> {
  const messages = channel(`social:${name}`);
  return {
    emit: (message) => {
      if (messages.hasSubscribers) messages.publish(message);
    },
    on: (listener) => {
      const receive = (message: unknown): void => listener(message as T);
      messages.subscribe(receive);
      return () => {
        messages.unsubscribe(receive);
      };
    },
  };
}

export type Api = 'graphql' | 'rest' | 'pages' | 'operations' | 'other';

export const requestEnded = signal<{ api: Api; method: string; status: number; seconds: number }>('request-ended');

/** A request was refused because the process has reached its limit. */
export const requestShed = signal<object>('request-shed');

/** One HTTP call to a platform: a status class, or why there was no response. */
export const upstreamCalled = signal<{ platform: string; method: string; outcome: string; seconds: number }>(
  'upstream-called',
);

/** How a platform's response was classified for the caller. */
export const platformFailed = signal<{ platform: string; fault: (typeof faults)[number] }>('platform-failed');

export const tokenRefreshed = signal<{ platform: string; outcome: 'renewed' | 'refused' | 'failed' }>(
  'token-refreshed',
);

/** An ad order or listing edit of unknown outcome was inspected. */
export const reconciled = signal<{
  kind: 'ad' | 'listing_edit' | 'removal';
  result: 'completed' | 'never_created' | 'missed' | 'undecided' | 'failed';
}>('reconciled');

export const duplicationEnded = signal<{ status: 'completed' | 'failed' }>('duplication-ended');
export const discoveryEnded = signal<{ state: 'completed' | 'failed' }>('discovery-ended');
export const figureJobEnded = signal<{ state: 'completed' | 'failed' }>('figure-job-ended');

/** One complete read of figures at a platform. */
export const figuresRead = signal<{ platform: string; rows: number }>('figures-read');
/** Figures were returned: the age of the oldest read that they rest on. */
export const figuresServed = signal<{ seconds: number }>('figures-served');

/** One request to a webhook receiver; `outcome` is a status class or an error class. */
export const webhookSent = signal<{ eventId: string; outcome: string; seconds: number }>('webhook-sent');

/** The first byte of an event's first request was sent: the delay since the change. */
export const firstByteSent = signal<{ seconds: number }>('first-byte-sent');

/** A worker took over a delivery whose previous worker had stopped responding. */
export const leaseTakenOver = signal<object>('lease-taken-over');

/** An event was quarantined because the database rejects it. */
export const eventRejected = signal<object>('event-refused');

/** A delivery was dead-lettered because it could not be processed for an hour. */
export const deliveryDeadLettered = signal<object>('delivery-dead-lettered');

/** A stored value was not decrypted because this process lacks its key; the work is deferred. */
export const encryptionKeyMissing = signal<object>('encryption-key-missing');

/** A document has something else in the place of a date. */
export const damagedDateRead = signal<{ collection: string; id: string; path: string; value: string }>(
  'damaged-date-read',
);

/** A log line was dropped because nothing reads the log. */
export const logLinesDropped = signal<object>('log-lines-dropped');

/** What the sweeper found: only probes during normal operation. */
export const swept = signal<{ due: number; probes: number }>('swept');

export const secondsSince = (started: number): number => (performance.now() - started) / 1000;
export const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`;
