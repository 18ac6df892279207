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

export interface RouteGroup {
  name: string;
  description: string;
  routes: Route[];
}

/** The route table, grouped by the headings of the reference. */
export const routeGroups: RouteGroup[] = [
  {
    name: 'API keys',
    description: 'Keys authenticate requests. A key can be limited to reading, or to some profiles.',
    routes: apiKeyRoutes,
  },
  {
    name: 'Profiles',
    description: 'A profile groups connected accounts: a client, a brand or a shop.',
    routes: profileRoutes,
  },
  { name: 'Accounts', description: 'Accounts at platforms that users have connected.', routes: accountRoutes },
  {
    name: 'Connect',
    description: 'The flow in which a person authorises the connection of an account.',
    routes: connectRoutes,
  },
  {
    name: 'Listings',
    description: 'Locations of a business and what its listing says about them.',
    routes: listingRoutes,
  },
  {
    name: 'Look-ups',
    description:
      'Values that createAd accepts: targeting options, interests, ad accounts and the capabilities of each platform.',
    routes: lookUpRoutes,
  },
  {
    name: 'Campaigns',
    description: 'Campaigns with their ad sets and ads, created here or found at a platform.',
    routes: campaignRoutes,
  },
  { name: 'Discovery', description: 'Reads the campaigns of an account from its platform.', routes: discoveryRoutes },
  { name: 'Ads', description: 'Paid ads on six platforms.', routes: adRoutes },
  { name: 'Duplications', description: 'Copies of campaigns.', routes: duplicationRoutes },
  {
    name: 'Webhooks',
    description: 'Signed deliveries of events, their log, redelivery and recovery.',
    routes: webhookRoutes,
  },
];

/** The table of endpoints: the router, OpenAPI and the parity test read it. */
export const routes: Route[] = routeGroups.flatMap((group) => group.routes);
