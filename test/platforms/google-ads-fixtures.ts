import { CreateAdInput } from '../../src/contract/ad-input.ts';
import { createGoogleAds, type GoogleAdsConfig } from '../../src/platforms/google-ads/index.ts';
import type { MediaSource } from '../../src/platforms/media.ts';
import type { Access, AdAccount, AdsAdapter } from '../../src/platforms/platform.ts';
import { placedAt } from './fixtures.ts';
import { mediaOf } from './media.ts';
import type { FakeUpstream, Recorded, Reply } from './upstream.ts';

export const token = 'ya29.secretToken0123456789';
export const developerToken = 'devSecret0123456789';
export const access: Access = {
  accountPlatform: 'search-display',
  token,
  platformAccountId: '1234567890',
  displayName: 'Shears & Company of the Valley',
  platformState: {},
  keep: () => Promise.resolve(),
  clock: { now: () => placedAt },
};
export const dollars: AdAccount = {
  id: '1234567890',
  name: 'Main',
  currency: 'USD',
  timezone: 'America/New_York',
  isActive: true,
};

type Loose = Record<string, unknown>;

const base: Loose = {
  accountId: '0123456789abcdef01234567',
  adAccountId: '1234567890',
  name: 'Spring',
  goal: 'traffic',
  budgetAmount: 25,
  budgetType: 'daily',
  headline: 'Spring garden sale',
  body: 'Free returns for 60 days.',
  linkUrl: 'https://shop.example/sale',
};
const search: Loose = {
  campaignType: 'search',
  additionalHeadlines: ['Sharp tools, fair price', 'Free returns'],
  additionalDescriptions: ['Order today, delivered tomorrow.'],
  keywords: ['garden shears', 'pruners'],
};
const display: Loose = {
  images: { landscape: 'https://img.example/landscape.png', square: 'https://img.example/square.png' },
};

const parse = (fields: Loose): CreateAdInput =>
  CreateAdInput.parse(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));

/** Inputs as the API would parse them; undefined removes a field. */
export const inputs = {
  search: (extra: Loose = {}): CreateAdInput => parse({ ...base, ...search, ...extra }),
  display: (extra: Loose = {}): CreateAdInput => parse({ ...base, ...display, ...extra }),
};

/** The first bytes of a PNG, which say how large it is. */
export function png(width: number, height: number): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), size]);
}

export const pictures: Record<string, Buffer> = {
  'https://img.example/landscape.png': png(1200, 628),
  'https://img.example/square.png': png(1080, 1080),
  'https://img.example/wide.png': png(1600, 400),
};

export const adapterOf = (
  upstream: FakeUpstream,
  extra: Partial<GoogleAdsConfig> = {},
  media: MediaSource = mediaOf(pictures),
): AdsAdapter =>
  createGoogleAds(
    {
      baseUrl: upstream.url,
      version: 'v25',
      tokenUrl: `${upstream.url}/token`,
      clientId: 'client',
      clientSecret: 'secret',
      developerToken,
      ...extra,
    },
    media,
  );

export type Body = {
  mutateOperations: Record<string, { create?: Loose; update?: Loose; updateMask?: string }>[];
} & Loose;
export const bodyOf = ({ json }: Recorded): Body => json as Body;
export const queryOf = ({ json }: Recorded): string => (json as { query: string }).query;

const madeIds: Record<string, string> = {
  campaignBudget: 'campaignBudgets/9',
  campaign: 'campaigns/77',
  campaignCriterion: 'campaignCriteria/77~2840',
  adGroup: 'adGroups/88',
  adGroupCriterion: 'adGroupCriteria/88~555',
  asset: 'assets/66',
  adGroupAd: 'adGroupAds/88~999',
};

/** Answers a mutate as the platform does: one result for each operation, none where it only validates. */
export function mutated(request: Recorded): Reply {
  const { mutateOperations, validateOnly } = bodyOf(request);
  if (validateOnly) return { json: {} };
  const results = mutateOperations.map((operation) => {
    const kind = (Object.keys(operation)[0] ?? '').replace(/Operation$/, '');
    return { [`${kind}Result`]: { resourceName: `customers/1234567890/${madeIds[kind]}` } };
  });
  return { json: { mutateOperationResponses: results } };
}

export const adRow = (extra: Loose = {}): Loose => ({
  campaign: { resourceName: 'customers/1234567890/campaigns/77', id: '77', name: 'Spring', status: 'ENABLED' },
  adGroup: { id: '88', name: 'Spring', status: 'ENABLED' },
  adGroupAd: {
    status: 'ENABLED',
    ad: { id: '999' },
    policySummary: { approvalStatus: 'UNKNOWN', reviewStatus: 'REVIEW_IN_PROGRESS' },
  },
  ...extra,
});
export const rows = (...results: Loose[]): Reply => ({ json: { results, fieldMask: 'campaign.id' } });

export const goodPlatform: FakeUpstream['respond'] = (request) => {
  if (request.path.endsWith('/googleAds:mutate')) return mutated(request);
  return request.path.endsWith('/googleAds:search') ? rows(adRow()) : undefined;
};

/** An error as the platform wraps it. */
export const failure = (
  status: number,
  errors: Loose[],
  rpc: { status?: string; message?: string } = {},
): { status: number; json: Loose } => ({
  status,
  json: {
    error: {
      code: status,
      message: rpc.message ?? 'Request contains an invalid argument.',
      status: rpc.status ?? 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.ads.googleads.v25.errors.GoogleAdsFailure',
          errors,
          requestId: 'Rq1a2B3c4D5e6F7g8H9i0J',
        },
      ],
    },
  },
});

/** One error at a place, as `mutate_operations[0].campaign_budget_operation.create.amount_micros`. */
export function problem(errorCode: Record<string, string>, path = '', extra: Loose = {}): Loose {
  const fieldPathElements = path
    .split('.')
    .filter(Boolean)
    .map((part) => {
      const [, fieldName = part, index] = /^(\w+)\[(\d+)\]$/.exec(part) ?? [];
      return { fieldName, ...(index !== undefined && { index: Number(index) }) };
    });
  return { errorCode, message: 'It will not do.', ...(path && { location: { fieldPathElements } }), ...extra };
}
