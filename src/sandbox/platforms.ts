import { createNetworkA } from './network-a/index.ts';
import type { MakePlatform } from './platform.ts';
import { createSearchDisplay } from './search-display/index.ts';

/** Every simulated platform; each is served under its name. */
export const simulated: MakePlatform[] = [createNetworkA, createSearchDisplay];
