import type { UpstreamAdStatus } from './platform.ts';

const stops = ['cancelled', 'rejected', 'completed', 'paused'] as const;

/** What an object comes to together with those that it hangs on: none runs under one that does not. */
export const underParents = (own: UpstreamAdStatus, ...parents: (UpstreamAdStatus | undefined)[]): UpstreamAdStatus =>
  stops.find((stop) => own === stop || (stop !== 'rejected' && parents.includes(stop))) ?? own;
