import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../contract/error.ts';
import { LinkedList, type Entry } from '../lib/linked-list.ts';
import { requestShed } from '../telemetry/events.ts';
import type { Sampler } from '../telemetry/metrics.ts';
import { endIncomplete } from './malformed-request.ts';

/** Bounds the requests that run at once, so that an overloaded process refuses some instead of slowing down for all. */
export interface Admission {
  /** Admits a request until its response closes; throws if too many are running. */
  admit: (request: IncomingMessage, path: string, response: ServerResponse) => void;
  /** Refuses a GraphQL request that took a place reserved for createAd, once the operations that it runs are known. */
  requireReservedUse: (operations: () => string[], response: ServerResponse) => void;
  /** Frees the place early: an event stream is idle most of the time and has a limit of its own. */
  release: (response: ServerResponse) => void;
  sample: Sampler;
}

/** One in five places is reserved for createAd: an ad that is refused costs more than a list that is refused. */
const reservedShare = 0.2;
const retryAfterSeconds = 1;
/** A body that takes longer loses its place if another request needs one: bodies that never arrive would hold all places. */
const bodyMs = 2_000;

interface Place {
  request: IncomingMessage;
  since: number;
  isReserved: boolean;
}

export function createAdmission(limit: number): Admission {
  const free = Math.max(1, Math.floor(limit * (1 - reservedShare)));
  const places = new LinkedList<Place>();
  const entryOf = new WeakMap<ServerResponse, Entry<Place>>();
  const release = (response: ServerResponse): void => {
    const entry = entryOf.get(response);
    if (entry) places.remove(entry);
  };
  /** Ends the request whose body has been awaited longest. Nothing has been done for it yet. */
  const reclaim = (): boolean => {
    const latest = performance.now() - bodyMs;
    for (const entry of places.entries()) {
      const { request, since } = entry.value;
      if (since > latest) return false;
      if (request.complete) continue;
      places.remove(entry);
      endIncomplete(request);
      return true;
    }
    return false;
  };
  const refuse = (): never => {
    requestShed.emit({});
    const message = `This process runs ${limit} requests already. Try again in ${retryAfterSeconds} s.`;
    throw new AppError('temporarily_unavailable', message, { retryAfterSeconds });
  };
  return {
    admit(request, path, response) {
      // Most requests find a free place, whatever their path.
      if (places.size >= free) {
        const open = mayCreateAd(request, path) ? limit : free;
        while (places.size >= open) if (!reclaim()) refuse();
      }
      const entry = places.add({ request, since: performance.now(), isReserved: places.size >= free });
      entryOf.set(response, entry);
      response.once('close', () => places.remove(entry));
    },
    requireReservedUse(operations, response) {
      if (!entryOf.get(response)?.value?.isReserved || operations().includes('createAd')) return;
      refuse();
    },
    release,
    sample: () => Promise.resolve([{ name: 'http_requests_running', value: places.size }]),
  };
}

/** What a GraphQL request does shows only when its document has been parsed. */
const mayCreateAd = ({ method }: IncomingMessage, path: string): boolean =>
  method === 'POST' && /^\/(v1\/ads\/create|graphql)\/?$/.test(path);
