const slotsPerEndpoint = 4;
/** An endpoint that responded this recently is fast: waiting this long for its next slot is worthwhile. */
const quickMs = 100;
/** For all endpoints together: a waiting worker is not available to the others. */
const mostWaiting = 10;

interface Endpoint {
  used: number;
  /** When an attempt last ended; long ago at first. */
  freedAt: number;
  waiting: (() => void)[];
}

export interface Slots {
  /** Acquires a slot, after a short wait if necessary; false if none is free. */
  take: (webhookId: string) => Promise<boolean>;
  free: (webhookId: string) => void;
  /** True if the next attempt has to wait. */
  areTaken: (webhookId: string) => boolean;
}

/** Bulkhead: at most four concurrent requests per endpoint per process. */
export function createSlots(): Slots {
  const endpoints = new Map<string, Endpoint>();
  let waiting = 0;

  const waitFor = async (endpoint: Endpoint): Promise<boolean> => {
    waiting += 1;
    const isTaken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => {
        endpoint.waiting = endpoint.waiting.filter((other) => other !== take);
        resolve(false);
      }, quickMs);
      const take = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      endpoint.waiting.push(take);
    });
    waiting -= 1;
    return isTaken;
  };

  return {
    areTaken: (webhookId) => (endpoints.get(webhookId)?.used ?? 0) >= slotsPerEndpoint,
    async take(webhookId) {
      const endpoint = endpoints.get(webhookId) ?? { used: 0, freedAt: -Infinity, waiting: [] };
      endpoints.set(webhookId, endpoint);
      if (endpoint.used >= slotsPerEndpoint)
        return waiting < mostWaiting && performance.now() - endpoint.freedAt < quickMs && waitFor(endpoint);
      endpoint.used += 1;
      return true;
    },
    free(webhookId) {
      const endpoint = endpoints.get(webhookId);
      if (!endpoint) return;
      endpoint.freedAt = performance.now();
      const next = endpoint.waiting.shift();
      // A waiting attempt takes over this slot.
      if (next) next();
      else if (--endpoint.used === 0) endpoints.delete(webhookId);
    },
  };
}
