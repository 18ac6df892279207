import { createEphemeralMessaging } from './ephemeral-messaging/index.ts';
import { createListing } from './listing/index.ts';
import { createMicroblog } from './microblog/index.ts';
import { createNetworkA } from './network-a/index.ts';
import { createNetworkC } from './network-c/index.ts';
import type { MakePlatform } from './platform.ts';

/** Every simulated platform; each is served under its name. */
export const simulated: MakePlatform[] = [
  createNetworkA,
  createNetworkC,
  createMicroblog,
  createListing,
  createEphemeralMessaging,
];
