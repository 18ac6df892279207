import type { FoundCampaign } from '../found-campaigns.ts';
import { mutateEverything } from './mutate.ts';
import type { Fields } from './shapes.ts';
import type { Customer, SandboxState } from './state.ts';

const names = ['first', 'second'];

/** Adds a campaign with two ad groups of one ad each. Budgets are always those of campaigns. */
export function addFoundCampaigns(sandbox: SandboxState, customer: Customer): FoundCampaign[] {
  const own = `customers/${customer.id}`;
  const [campaignBudget, campaign] = [`${own}/campaignBudgets/-1`, `${own}/campaigns/-2`];
  // Names of campaigns are unique.
  const name = `Found ${sandbox.count(customer.id, 'campaigns') + 1}, budget at the campaign`;
  const mutateOperations: Fields[] = [
    { campaignBudgetOperation: { create: { resourceName: campaignBudget, ...budget } } },
    { campaignOperation: { create: { resourceName: campaign, name, campaignBudget, ...fields } } },
    ...names.flatMap((group, at) => {
      const adGroup = `${own}/adGroups/-${at + 3}`;
      return [
        { adGroupOperation: { create: { resourceName: adGroup, campaign, name: group, status: 'ENABLED' } } },
        { adGroupAdOperation: { create: { adGroup, status: 'ENABLED', ad } } },
      ];
    }),
  ];
  const made = mutateEverything({ sandbox, customer, version: 'v25' }, { mutateOperations });
  const results = made['mutateOperationResponses'] as Record<string, { resourceName: string }>[];
  const namesOf = (result: string): string[] => results.flatMap((one) => one[result]?.resourceName ?? []);
  const idsOf = (result: string): string[] => namesOf(result).map((resource) => resource.split('/').at(-1) ?? '');
  const [campaignId = ''] = idsOf('campaignResult');
  return [{ level: 'campaign', campaignId, adSetIds: idsOf('adGroupResult'), adIds: namesOf('adGroupAdResult') }];
}

const budget = { amountMicros: '80000000', deliveryMethod: 'STANDARD', explicitlyShared: false };
const fields = {
  status: 'ENABLED',
  advertisingChannelType: 'SEARCH',
  targetSpend: {},
  networkSettings: { targetGoogleSearch: true, targetSearchNetwork: true, targetContentNetwork: false },
  containsEuPoliticalAdvertising: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING',
};
const textsOf = (...texts: string[]): { text: string }[] => texts.map((text) => ({ text }));
const ad = {
  finalUrls: ['https://shop.example/sale'],
  responsiveSearchAd: {
    headlines: textsOf('Spring is here', 'Everything for the garden', 'Sale until May'),
    descriptions: textsOf('Tools for every garden.', 'Delivered within two days.'),
  },
};
