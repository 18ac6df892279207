import type { FoundCampaign, FoundOptions } from '../found-campaigns.ts';
import { accountUrn, organizationUrn, urnOf, type AdAccount, type Entity, type SandboxState } from './state.ts';
import type { Fields } from './shape.ts';

/** Adds a group of each budget level with two campaigns of one creative each, as if created in the platform's own tools. */
export function addFoundCampaigns(
  sandbox: SandboxState,
  account: AdAccount,
  { isBackfilled = false }: Partial<FoundOptions>,
): FoundCampaign[] {
  const save = saver(sandbox, account);
  const money = (amount: string): Fields => ({ amount, currencyCode: account.currency });
  return (['campaign', 'ad_set'] as const).map((level) => {
    const isOfGroup = level === 'campaign';
    const dynamic = {
      objectiveType: 'WEBSITE_VISIT',
      budgetOptimization: { budgetOptimizationStrategy: 'DYNAMIC', bidStrategy: 'MAXIMUM_DELIVERY' },
      dailyBudget: money('80'),
    };
    const group = save(
      'group',
      { name: `Found, budget at the ${level}`, ...shared(), ...(isOfGroup && dynamic) },
      { isBackfilled: isBackfilled && !isOfGroup },
    );
    const added = ['first', 'second'].map((name) => {
      const budget = isOfGroup ? {} : { dailyBudget: money('25') };
      const own = { name, campaignGroup: urnOf(group), unitCost: money('0'), ...budget };
      const campaign = save('campaign', { ...campaignFields(account), ...shared(), ...own });
      const content = { reference: addPost(sandbox, account, `${name} ${campaign.id}`) };
      const creative = save('creative', {
        name: `Ad of the ${name}`,
        campaign: urnOf(campaign),
        content,
        intendedStatus: 'ACTIVE',
      });
      return { campaign, creative };
    });
    const adSetIds = added.map(({ campaign }) => campaign.id);
    return { level, campaignId: group.id, adSetIds, adIds: added.map(({ creative }) => creative.id) };
  });
}

const shared = (): Fields => ({ status: 'ACTIVE', runSchedule: { start: Date.now() - 86_400_000 } });

const campaignFields = ({ organizationId = '' }: AdAccount): Fields => ({
  associatedEntity: organizationUrn(organizationId),
  type: 'SPONSORED_UPDATES',
  format: 'STANDARD_UPDATE',
  objectiveType: 'WEBSITE_VISIT',
  optimizationTargetType: 'MAX_CLICK',
  costType: 'CPM',
  creativeSelection: 'OPTIMIZED',
  locale: { country: 'US', language: 'en' },
  offsiteDeliveryEnabled: false,
  audienceExpansionEnabled: false,
  politicalIntent: 'NOT_POLITICAL',
  targetingCriteria: { include: { and: [{ or: { 'urn:li:adTargetingFacet:locations': ['urn:li:geo:103644278'] } }] } },
});

type Save = (kind: Entity['kind'], fields: Fields, extra?: Partial<Entity>) => Entity;

const saver =
  (sandbox: SandboxState, account: AdAccount): Save =>
  (kind, own, extra = {}) => {
    const now = Date.now();
    const entity: Entity = {
      id: sandbox.newId(200_300_000),
      kind,
      accountId: account.id,
      fields: { ...(kind !== 'creative' && { account: accountUrn(account.id) }), ...own },
      createdAt: now,
      updatedAt: now,
      createdBy: account.personId,
      version: 1,
      ...extra,
    };
    sandbox.save(entity);
    return entity;
  };

function addPost(sandbox: SandboxState, { id, organizationId = '' }: AdAccount, commentary: string): string {
  const urn = `urn:li:share:${sandbox.newId(7_000_000_000_000_000).padEnd(19, '0')}`;
  const fields = {
    author: organizationUrn(organizationId),
    commentary,
    adContext: { dscAdAccount: accountUrn(id), dscStatus: 'ACTIVE', dscName: commentary },
  };
  sandbox.posts.put(urn, { urn, organizationId, fields, createdAt: Date.now() });
  return urn;
}
