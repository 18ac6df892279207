import { createEphemeralMessaging } from './ephemeral-messaging/index.ts';
import { createListing } from './listing/index.ts';
import { createMicroblog } from './microblog/index.ts';
import { createNetworkA } from './network-a/index.ts';
import { createNetworkC } from './network-c/index.ts';
import { createPinBoard } from './pin-board/index.ts';
import type { MakePlatform } from './platform.ts';
import { createProfessional } from './professional/index.ts';
import { createSearchDisplay } from './search-display/index.ts';

/** Every simulated platform; each is served under its name. */
export const simulated: MakePlatform[] = [
  createNetworkA,
  createSearchDisplay,
  createPinBoard,
  createNetworkC,
  createMicroblog,
  createProfessional,
  createListing,
  createEphemeralMessaging,
];
