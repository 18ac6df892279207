import { onAdSet } from '../../../src/platforms/budget.ts';
import { PlatformError, type PlatformFault } from '../../../src/platforms/error.ts';
import type { Access, AdOrder, AdsAdapter, CreatedAds, Journal } from '../../../src/platforms/platform.ts';

/** How one request fails: made or not, and what the caller of the platform sees. */
export type Failure =
  | { fault: PlatformFault; made?: boolean; fields?: Record<string, string[]>; retryAfterSeconds?: number }
  | { crash: 'before' | 'after' };

/** Stands for a killed process: the call never ends, so nothing of ours runs after it. */
const forever = new Promise<never>(() => {});

export interface FakePlatform {
  adapter: AdsAdapter;
  /** Every object made upstream, by step name and its unique name. */
  objects: { step: string; name: string; id: string; visibleFrom: number }[];
  /** Step names in the order in which requests were sent. */
  sent: string[];
  /** What happens to the next request of a step; each entry serves once. */
  script: (step: string, ...failures: Failure[]) => void;
  /** While true nothing that was made can be found. */
  hidden: boolean;
  /** What was made without an answer can be found only so much later. */
  lateMs: number;
  orders: AdOrder[];
  accesses: Access[];
  validated: number;
  /** Called when the process is taken for killed. */
  died: () => void;
  /** Kills before the first step or after the last one. */
  crashAt?: 'start' | 'end';
}

/** A platform in memory with the cascade of the real ones: campaign, ad set, creatives, ads, activation. */
export function fakePlatform(options: { maxNameLength?: number; now: () => number }): FakePlatform {
  const failures = new Map<string, Failure[]>();
  const fake: FakePlatform = {
    objects: [],
    sent: [],
    hidden: false,
    lateMs: 0,
    orders: [],
    accesses: [],
    validated: 0,
    died: () => {},
    script: (step, ...list) => void failures.set(step, [...(failures.get(step) ?? []), ...list]),
    adapter: {
      platform: 'A',
      maxNameLength: options.maxNameLength ?? 400,
      adAccountPrefix: 'act_',
      currencyFactor: (currency) => (currency === 'JPY' ? 1 : 100),
      listAdAccounts: async () => [
        { id: 'act_1', name: 'Main', currency: 'USD', isActive: true },
        { id: 'act_2', name: 'Yen', currency: 'JPY', isActive: true },
      ],
      createAds: async (access, order, journal) => {
        fake.accesses.push(access);
        fake.orders.push(order);
        if (fake.crashAt === 'start') return die();
        const created = await cascade(order, journal, step);
        return fake.crashAt === 'end' ? die() : created;
      },
      validateAds: async () => void (fake.validated += 1),
      searchTargeting: async () => [],
      renameAd: async () => {},
      updateCampaign: async () => {},
      updateAdSet: async () => {},
      readBudget: async () => onAdSet(undefined),
      findCampaign: async () => undefined,
      findAdSet: async () => undefined,
      setAdStatus: async () => {},
      setAdSetStatus: async () => {},
      setCampaignStatus: async () => {},
      readRemovable: async () => undefined,
      remove: async () => {},
      discover: async function* () {},
    },
  };

  const die = (): Promise<never> => {
    fake.crashAt = undefined;
    fake.died();
    return forever;
  };

  const make = (name: string, step: string, lateMs = 0): string => {
    const id = `up-${fake.objects.length + 1}`;
    fake.objects.push({ step, name, id, visibleFrom: options.now() + lateMs });
    return id;
  };

  const step = (journal: Journal, name: string, unique: string): Promise<string> =>
    journal.run({
      name,
      request: { method: 'POST', url: `https://platform.example/${name}`, body: { name: unique } },
      find: async () => {
        const made = fake.objects.find((object) => object.step === name && object.name === unique);
        return made && !fake.hidden && made.visibleFrom <= options.now() ? made.id : undefined;
      },
      send: async () => {
        fake.sent.push(name);
        const failure = failures.get(name)?.shift();
        if (!failure) return make(unique, name);
        if ('crash' in failure) {
          if (failure.crash === 'after') make(unique, name, fake.lateMs);
          fake.died();
          return forever;
        }
        if (failure.made) make(unique, name, fake.lateMs);
        const { fields, retryAfterSeconds } = failure;
        throw new PlatformError('A', failure.fault, `The platform says ${failure.fault}`, {
          code: 100,
          subcode: 33,
          title: 'Title',
          message: 'Upstream words',
          traceId: 'trace-1',
          fields,
          retryAfterSeconds,
        });
      },
    });
  return fake;
}

type RunStep = (journal: Journal, name: string, unique: string) => Promise<string>;

async function cascade({ input, names }: AdOrder, journal: Journal, step: RunStep): Promise<CreatedAds> {
  const attached = input.adSetId;
  const campaign = attached ? 'campaign-of-set' : await step(journal, 'campaign', names.campaign);
  const adSet = attached ?? (await step(journal, 'adSet', names.adSet));
  const ads: string[] = [];
  for (const [index, name] of names.ads.entries()) {
    await step(journal, `creative.${index}`, name);
    ads.push(await step(journal, `ad.${index}`, name));
  }
  if (!attached && input.status !== 'PAUSED') await step(journal, 'activate', campaign);
  return {
    platformCampaignId: campaign,
    platformAdSetId: adSet,
    campaignName: attached ? 'Parent campaign' : names.campaign,
    adSetName: attached ? 'Parent ad set' : names.adSet,
    ...(attached && {
      inherited: {
        adSet: {
          id: adSet,
          campaignId: campaign,
          name: 'Parent ad set',
          status: 'active' as const,
          goal: 'traffic' as const,
        },
      },
    }),
    // As an adapter reports an ad whose status cannot be read.
    ads: ads.map((platformAdId) => ({ platformAdId, status: 'active' })),
  };
}
