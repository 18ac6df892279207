import { channel } from 'node:diagnostics_channel';

/** A diagnostics channel for metrics and tracing; near-zero cost without subscribers. */
export interface Signal<T> {
  emit: (message: T) => void;
  /** Returns what ends the listening. */
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

export const requestEnded = signal<{ api: Api; method: string; status: number; seconds: number; requestId: string }>(
  'request-ended',
);

/** One HTTP call to a platform, as far as the wire tells: a status class, or why there was no answer. */
export const upstreamCalled = signal<{ platform: string; method: string; outcome: string; seconds: number }>(
  'upstream-called',
);

/** What a platform's answer meant for the caller. */
export const platformFailed = signal<{ platform: string; fault: string }>('platform-failed');

export const tokenRefreshed = signal<{ platform: string; outcome: 'renewed' | 'refused' | 'failed' }>(
  'token-refreshed',
);

/** One request to a receiver of webhooks; `outcome` is a status class or the class of the fault. */
export const webhookSent = signal<{ eventId: string; outcome: string; seconds: number }>('webhook-sent');

/** The first byte of an event's first request: how long after the change that it tells of. */
export const firstByteSent = signal<{ seconds: number }>('first-byte-sent');

/** A delivery went on whose sender had fallen silent. */
export const leaseTakenOver = signal<object>('lease-taken-over');

/** An event was set aside because the store does not take it. */
export const eventRejected = signal<object>('event-refused');

/** A delivery was set aside because it could not be processed for an hour. */
export const deliveryDeadLettered = signal<object>('delivery-set-aside');

/** A stored value was not decrypted because this process lacks its key; the work is deferred. */
export const encryptionKeyMissing = signal<object>('encryption-key-missing');

/** What the sweeper found: in peace nothing but probes. */
export const swept = signal<{ due: number; probes: number }>('swept');

export const secondsSince = (started: number): number => (performance.now() - started) / 1000;
export const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`;
