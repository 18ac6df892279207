const slotsPerEndpoint = 4;
/** An endpoint that responded this recently is fast: waiting this long for its next slot is worthwhile. */
const fastMs = 100;
/** For all endpoints together: a waiting worker is not available to the others. */
const maxWaiting = 10;

interface Endpoint {
  used: number;
  /** When an attempt last ended; long ago at first. */
  freedAt: number;
  waiting: (() => void)[];
}

export interface EndpointConcurrency {
  /** Acquires a slot, after a short wait if necessary; false if none is free. */
  acquire: (webhookId: string) => Promise<boolean>;
  release: (webhookId: string) => void;
  /** True if the next attempt has to wait. */
  isFull: (webhookId: string) => boolean;
}

/** Bulkhead: at most four concurrent requests per endpoint per process. */
export function createEndpointConcurrency(): EndpointConcurrency {
  const endpoints = new Map<string, Endpoint>();
  let waiting = 0;

  const waitFor = async (endpoint: Endpoint): Promise<boolean> => {
    waiting += 1;
    const isTaken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => {
        endpoint.waiting = endpoint.waiting.filter((other) => other !== take);
        resolve(false);
      }, fastMs);
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
    isFull: (webhookId) => (endpoints.get(webhookId)?.used ?? 0) >= slotsPerEndpoint,
    async acquire(webhookId) {
      const endpoint = endpoints.get(webhookId) ?? { used: 0, freedAt: -Infinity, waiting: [] };
      endpoints.set(webhookId, endpoint);
      if (endpoint.used >= slotsPerEndpoint)
        return waiting < maxWaiting && performance.now() - endpoint.freedAt < fastMs && waitFor(endpoint);
      endpoint.used += 1;
      return true;
    },
    release(webhookId) {
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
