import type { FoundCampaign } from '../found-campaigns.ts';
import { write } from './entities.ts';
import { createPin } from './pins.ts';
import type { AdAccount, Fields, Kind, SandboxState } from './state.ts';

/** Adds a campaign of each budget level with two ad groups of one ad each, as if created in the platform's own tools. */
export function addFoundCampaigns(sandbox: SandboxState, account: AdAccount): FoundCampaign[] {
  const [boardId] = sandbox.boards.under(account.ownerId);
  const pinId = String(createPin(sandbox, account.ownerId, { ...pin, board_id: boardId })['id']);
  const add = (kind: Kind, fields: Fields): string => {
    const { items } = write(sandbox, { account, kind }, { method: 'POST', json: [fields], isOlder: true });
    const [item] = items as { data: { id: string } }[];
    return item?.data.id ?? '';
  };
  return (['campaign', 'ad_set'] as const).map((level) => {
    const isOfCampaign = level === 'campaign';
    const campaignId = add('campaigns', {
      ad_account_id: account.id,
      name: `Found, budget at the ${level}`,
      status: 'ACTIVE',
      objective_type: 'CONSIDERATION',
      is_campaign_budget_optimization: isOfCampaign,
      ...(isOfCampaign && { daily_spend_cap: 50_000_000 }),
    });
    const added = ['first', 'second'].map((name) => {
      const budget = isOfCampaign
        ? { budget_type: 'CBO_ADGROUP' }
        : { budget_type: 'DAILY', budget_in_micro_currency: 25_000_000 };
      const id = add('ad_groups', { ...group, ...budget, campaign_id: campaignId, name });
      const ad = { ad_group_id: id, creative_type: 'REGULAR', pin_id: pinId, name: `Ad of the ${name}` };
      return { id, adId: add('ads', ad) };
    });
    return { level, campaignId, adSetIds: added.map(({ id }) => id), adIds: added.map(({ adId }) => adId) };
  });
}

const pin = {
  title: 'Spring garden sale',
  link: 'https://shop.example/sale',
  media_source: { source_type: 'image_url', url: 'https://shop.example/spring.jpg' },
};

const group = {
  status: 'ACTIVE',
  billable_event: 'CLICKTHROUGH',
  bid_strategy_type: 'AUTOMATIC_BID',
  targeting_spec: { LOCATION: ['US'] },
};
