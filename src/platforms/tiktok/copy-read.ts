import type { CopyKind } from '../copies.ts';
import { grouped } from '../../lib/group-by.ts';
import { PlatformError } from '../error.ts';
import type { Access, CopyOrder, CopyTree } from '../platform.ts';
import type { Client } from './client.ts';
import { isEnabled, scheduleOf, type Raw } from './copy-fields.ts';
import { requireCarried } from './copy-guard.ts';
import { idOf, nameOf, readAll } from './find-copies.ts';
import { isAutomatic } from './wire.ts';

export async function readCampaign(client: Client, access: Access, order: CopyOrder): Promise<Raw> {
  const filtering = { campaign_ids: [order.campaignId] };
  const [campaign] = await readAll(client, access, { level: 'campaign', advertiserId: order.adAccount.id, filtering });
  if (!campaign) throw new PlatformError('D', 'not_found', `There is no campaign ${order.campaignId}`);
  return campaign;
}

export async function readChildren(
  client: Client,
  access: Access,
  order: CopyOrder,
): Promise<{ groups: Raw[]; ads: Raw[] }> {
  if (!order.options.deepCopy) return { groups: [], ads: [] };
  const look = { advertiserId: order.adAccount.id, filtering: { campaign_ids: [order.campaignId] } };
  const [groups, ads] = await Promise.all([
    readAll(client, access, { level: 'adSet', ...look }),
    readAll(client, access, { level: 'ad', ...look }),
  ]);
  return { groups, ads };
}

export async function readTree(client: Client, access: Access, order: CopyOrder): Promise<CopyTree> {
  const [campaign, { groups, ads }] = await Promise.all([
    readCampaign(client, access, order),
    readChildren(client, access, order),
  ]);
  if (isAutomatic(campaign) || campaign['objective_type'] === 'RF_REACH') {
    throw new PlatformError(
      'D',
      'rejected',
      'Automatic and reserved campaigns can only be created on the platform itself',
    );
  }
  const levels = [['campaign', [campaign]] as const, ['adSet', groups] as const, ['ad', ads] as const];
  for (const [level, raws] of levels) for (const raw of raws) requireCarried(level, nameOf(level, raw), raw);
  for (const group of groups) scheduleOf(group, { options: order.options, now: access.clock.now() });
  const toSource = (level: CopyKind, raw: Raw): CopyTree['campaign'] => ({
    id: idOf(level, raw),
    name: nameOf(level, raw),
    isActive: isEnabled(raw),
  });
  const byGroup = grouped(ads, (ad) => String(ad['adgroup_id']));
  return {
    campaign: toSource('campaign', campaign),
    adSets: groups.map((group) => ({
      ...toSource('adSet', group),
      ads: (byGroup.get(idOf('adSet', group)) ?? []).map((ad) => toSource('ad', ad)),
    })),
  };
}
