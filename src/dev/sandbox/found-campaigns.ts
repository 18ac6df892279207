import { Hono } from 'hono';
import { optionsIn } from './oauth/token-control.ts';

/** A campaign that stands at the platform as if created in its own tools. */
export interface FoundCampaign {
  level: 'ad_set' | 'campaign';
  campaignId: string;
  adSetIds: string[];
  /** What `POST /figures` calls its ads. */
  adIds: string[];
}

export interface FoundOptions {
  adAccountId: string;
  /** On `professional`: the group whose campaigns carry the budget is the default group of the ad account. */
  isBackfilled: boolean;
}

interface Source<Account> {
  account: (id: string) => Account | undefined;
  add: (account: Account, options: Partial<FoundOptions>) => FoundCampaign[];
}

/** Adds a campaign for each level that can carry a budget, with two ad sets of one ad each. */
export function foundCampaignsControl<Account>({ account, add }: Source<Account>): Hono {
  const app = new Hono();
  app.post('/found-campaigns', async (c) => {
    const options = await optionsIn<FoundOptions>(c);
    const known = account(options.adAccountId ?? '');
    if (!known) return c.json({ error: 'Specify a known adAccountId' }, 400);
    return c.json({ campaigns: add(known, options) });
  });
  return app;
}
