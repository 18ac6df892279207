import { accountRoutes } from './account-routes.ts';
import { adRoutes } from './ad-routes.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { connectRoutes } from './connect-routes.ts';
import { campaignRoutes } from './campaign-routes.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { listingRoutes } from './listing-routes.ts';
import { duplicationRoutes } from './duplication-routes.ts';
import { lookUpRoutes } from './look-up-routes.ts';
import { profileRoutes } from './profile-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';
import type { Route } from './route.ts';

/** The table of endpoints: the router, OpenAPI and the parity test read it. */
export const routes: Route[] = [
  ...apiKeyRoutes,
  ...profileRoutes,
  ...accountRoutes,
  ...connectRoutes,
  ...listingRoutes,
  ...lookUpRoutes,
  ...campaignRoutes,
  ...discoveryRoutes,
  ...adRoutes,
  ...duplicationRoutes,
  ...webhookRoutes,
];
