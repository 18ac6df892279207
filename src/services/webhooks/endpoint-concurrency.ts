const slotsPerEndpoint = 4;
/** An endpoint that had an answer so short a time ago is quick: its next slot is worth a wait of as long. */
const quickMs = 100;
/** Of all endpoints together: whoever waits is not there for the others. */
const mostWaiting = 10;

interface Endpoint {
  used: number;
  /** When an attempt ended last; long ago at first. */
  freedAt: number;
  waiting: (() => void)[];
}

export interface Slots {
  /** Takes a slot, if need be after a short wait; false when the endpoint has none to give. */
  take: (webhookId: string) => Promise<boolean>;
  free: (webhookId: string) => void;
  /** Whether the next one has to wait. */
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
      // Whoever waits gets the very slot.
      if (next) next();
      else if (--endpoint.used === 0) endpoints.delete(webhookId);
    },
  };
}
