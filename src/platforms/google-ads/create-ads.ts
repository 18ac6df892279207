import type { z } from 'zod';
import { PlatformError } from '../error.ts';
import type { MediaSource } from '../media.ts';
import type { Access, AdOrder, CreatedAd, CreatedAds, Journal } from '../platform.ts';
import type { Client } from './client.ts';
import { findCampaign, readAd } from './find.ts';
import { suggestedCountries } from './countries.ts';
import { imagesOf, shownImages, withImages } from './images.ts';
import { languageIdsOf } from './languages.ts';
import { operationsOf, type Making } from './operations.ts';
import { firstDayOf, spreadWarning } from './schedule.ts';
import { cleanName, shortName } from './text.ts';
import { campaignName, idIn, statusChange, type Mutated, type Operation } from './wire.ts';

/** Dependencies for creating an ad. */
export interface Tools {
  client: Client;
  media: MediaSource;
  isPolitical: boolean;
}

interface AdIds {
  adGroupId: string;
  adId: string;
}

/** Creates everything paused in one mutate and activates the campaign in a second one. */
export async function createAds(tools: Tools, access: Access, order: AdOrder, journal: Journal): Promise<CreatedAds> {
  const { client } = tools;
  const customer = order.adAccount;
  const parts = imagesOf(order.input);
  const targets = await targetsOf(client, access, order);
  const start = firstDayOf(order, access.clock.now());
  const shown = operationsOf(makingOf(tools, access, order, { images: shownImages(parts), ...targets, start }));
  if (journal.dryRun) await withImages(tools.media, parts, async () => undefined);
  const name = cleanName(order.names.campaign);
  let made: AdIds | undefined;
  const campaignId = await journal.run({
    name: 'campaign',
    request: client.show(customer, shown),
    startDate: start,
    find: () => findCampaign(client, access, { customer, name }),
    send: async () => {
      const answer = await createAll(tools, access, order, { ...targets, start });
      if (typeof answer === 'string') return answer;
      made = answer;
      return answer.campaignId;
    },
  });
  // Read before activation, so that the ids of anything that spends are recorded.
  const ids = journal.dryRun ? placeholders : (made ?? (await readAd(client, access, { customer, campaignId })));
  const requested = order.input.status;
  if (requested === 'ACTIVE') await activate(tools, access, { order, journal, campaignId });
  const created: CreatedAd = {
    platformAdId: `${ids.adGroupId}~${ids.adId}`,
    status: requested === 'ACTIVE' ? 'active' : 'paused',
  };
  return {
    platformCampaignId: campaignId,
    platformAdSetId: ids.adGroupId,
    campaignName: name,
    adSetName: shortName(order.names.adSet),
    ads: [journal.dryRun ? created : await withStatus(tools, access, { order, campaignId, created })],
  };
}

type Targets = Pick<Making, 'countryIds' | 'languageIds'>;

/** What is targeted by ids of the platform. */
async function targetsOf(client: Client, access: Access, { input, adAccount }: AdOrder): Promise<Targets> {
  return {
    countryIds: await suggestedCountries(client, access, input),
    languageIds: await languageIdsOf(client, access, { customer: adAccount, languages: input.languages }),
  };
}

const placeholders: AdIds = { adGroupId: '{adGroup.id}', adId: '{ad.id}' };

const makingOf = (
  { isPolitical }: Tools,
  access: Access,
  order: AdOrder,
  parts: Targets & Pick<Making, 'images' | 'start'>,
): Making => ({ access, order, isPolitical, ...parts });

/** Sends the mutate. A duplicate name means that an earlier attempt was executed; its id is returned. */
async function createAll(
  { client, ...tools }: Tools,
  access: Access,
  order: AdOrder,
  parts: Targets & Pick<Making, 'start'>,
): Promise<string | (AdIds & { campaignId: string })> {
  const customer = order.adAccount;
  try {
    return await withImages(tools.media, imagesOf(order.input), async (images) => {
      const making = makingOf({ client, ...tools }, access, order, { images, ...parts });
      return idsIn(await withSpreadFallback(making, (operations) => client.mutate(access, customer, { operations })));
    });
  } catch (error) {
    if (!isRefusal(error, ['DUPLICATE_CAMPAIGN_NAME'])) throw error;
    const campaignId = await findCampaign(client, access, { customer, name: cleanName(order.names.campaign) });
    if (campaignId === undefined) throw error;
    return campaignId;
  }
}

const noTotals = [
  'INCOMPATIBLE_BUDGET_TYPE',
  'NOT_COMPATIBLE_WITH_BUDGET_TYPE',
  'INVALID_PERIOD',
  'CAMPAIGN_BUDGET_PERIOD_NOT_AVAILABLE',
  'DURATION_TOO_LONG_FOR_TOTAL_BUDGET',
];

/** Not every ad account supports total budgets: if one is rejected, spread it over the days. */
async function withSpreadFallback<T>(making: Making, send: (operations: Operation[]) => Promise<T>): Promise<T> {
  try {
    return await send(operationsOf(making));
  } catch (error) {
    if (making.order.input.budgetType !== 'lifetime' || !isRefusal(error, noTotals)) throw error;
    const answer = await send(operationsOf({ ...making, lacksTotals: true }));
    making.order.warn?.(spreadWarning);
    return answer;
  }
}

const isRefusal = (error: unknown, codes: string[]): boolean =>
  error instanceof PlatformError && error.fault === 'rejected' && codes.includes(String(error.upstream.code));

function idsIn({ mutateOperationResponses: results }: z.infer<typeof Mutated>): AdIds & { campaignId: string } {
  const nameOf = (kind: 'campaignResult' | 'adGroupAdResult'): string | undefined =>
    results.find((result) => result[kind])?.[kind]?.resourceName;
  const campaign = nameOf('campaignResult');
  const [adGroupId, adId] = idIn(nameOf('adGroupAdResult') ?? '').split('~');
  if (!campaign || !adGroupId || !adId) {
    throw new PlatformError('B', 'unknown_outcome', 'The platform did not return the created objects');
  }
  return { campaignId: idIn(campaign), adGroupId, adId };
}

/** Activation is idempotent, so it is resent after a lost response. */
async function activate(
  { client }: Tools,
  access: Access,
  { order, journal, campaignId }: { order: AdOrder; journal: Journal; campaignId: string },
): Promise<void> {
  const customer = order.adAccount;
  const operations = [statusChange(campaignName(customer.id, campaignId), 'campaignOperation', 'ENABLED')];
  const send = async (): Promise<string> => {
    await client.mutate(access, customer, { operations, isRepeatable: true });
    return campaignId;
  };
  await journal.run({ name: 'activate', request: client.show(customer, operations), send, find: send });
}

/** Reads the status of the new ad. The ad exists by now, so a failed read must not fail the order. */
async function withStatus(
  { client }: Tools,
  access: Access,
  { order, campaignId, created }: { order: AdOrder; campaignId: string; created: CreatedAd },
): Promise<CreatedAd> {
  try {
    const { status, rejectionReason } = await readAd(client, access, { customer: order.adAccount, campaignId });
    return { ...created, status, rejectionReason };
  } catch (error) {
    if (error instanceof PlatformError) return created;
    throw error;
  }
}

/** The platform's own dry run of the whole mutate. */
export async function validateAds(tools: Tools, access: Access, order: AdOrder): Promise<void> {
  const targets = await targetsOf(tools.client, access, order);
  const start = firstDayOf(order, access.clock.now());
  await withImages(tools.media, imagesOf(order.input), (images) =>
    withSpreadFallback(makingOf(tools, access, order, { images, ...targets, start }), (operations) =>
      tools.client.mutate(access, order.adAccount, { operations, validateOnly: true }),
    ),
  );
}
