import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/platforms/error.ts';
import {
  access,
  adapterOf,
  adRow,
  bodyOf,
  dollars,
  failure,
  goodPlatform,
  inputs,
  mutated,
  png,
  problem,
  queryOf,
  rows,
} from './google-ads-fixtures.ts';
import { memoryJournal, orderOf, refusalOf, type MemoryJournal } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Reply } from './upstream.ts';
import { mediaOf } from './media.ts';

let upstream: FakeUpstream;
beforeEach(async () => {
  upstream = await startUpstream();
  upstream.respond = goodPlatform;
});
afterEach(() => upstream.stop());

const paths = (): string[] => upstream.requests.map(({ path }) => path.split(':')[1] ?? '');
const run = (journal: MemoryJournal, input = inputs.search()) =>
  adapterOf(upstream).createAds(access, orderOf(input, dollars), journal);
/** Answers queries for campaigns by name with these rows. */
const named = (...names: [id: string, name: string][]): void => {
  upstream.respond = (request) => {
    if (request.path.endsWith(':mutate')) return mutated(request);
    return queryOf(request).includes(' FROM campaign ')
      ? rows(...names.map(([id, name]) => ({ campaign: { id, name } })))
      : rows(adRow());
  };
};

describe('the journal', () => {
  it('knows two steps, and none but the first for a paused ad', async () => {
    const journal = memoryJournal();
    await run(journal);
    expect(journal.ids).toEqual({ campaign: '77', activate: '77' });
    const paused = memoryJournal();
    await run(paused, inputs.search({ status: 'PAUSED' }));
    expect(paused.ids).toEqual({ campaign: '77' });
  });

  it('goes on after a finished mutate: the ids are read before the campaign runs', async () => {
    const journal = memoryJournal();
    journal.ids['campaign'] = '77';
    expect(await run(journal)).toMatchObject({ platformAdSetId: '88', ads: [{ platformAdId: '88~999' }] });
    expect(paths()).toEqual(['search', 'mutate', 'search']);
  });

  it('does not let a campaign run whose ad it cannot see', async () => {
    const journal = memoryJournal();
    journal.ids['campaign'] = '77';
    upstream.respond = () => rows();
    expect(await refusalOf(run(journal))).toMatchObject({ fault: 'unavailable' });
    expect(paths()).toEqual(['search']);
  });

  it('knows an ad that was removed as gone, so that its order ends', async () => {
    const journal = memoryJournal();
    journal.ids['campaign'] = '77';
    upstream.respond = (request) => {
      if (request.path.endsWith(':mutate')) return mutated(request);
      return rows(
        ...(queryOf(request).includes("ad_group_ad.status != 'REMOVED'")
          ? []
          : [adRow({ adGroupAd: { status: 'REMOVED', ad: { id: '999' } } })]),
      );
    };
    expect((await run(journal)).ads).toMatchObject([{ platformAdId: '88~999', status: 'cancelled' }]);
  });

  it('finds what an unanswered mutate made by its whole name, and makes nothing', async () => {
    const journal = memoryJournal();
    journal.open.add('campaign');
    named(['70', 'SPRING AB12CD34'], ['71', 'Spring ab12cd34']);
    expect(await run(journal)).toMatchObject({ platformCampaignId: '71' });
    expect(upstream.requests.filter(({ path }) => path.endsWith(':mutate')).map(bodyOf)).toMatchObject([
      { mutateOperations: [{ campaignOperation: { update: { status: 'ENABLED' } } }] },
    ]);
  });

  it('asks by a name with quotes without leaving the quotes', async () => {
    const journal = memoryJournal();
    journal.open.add('campaign');
    named();
    await run(journal, inputs.search({ name: "Aunt's \\ sale" }));
    expect(upstream.requests[0] && queryOf(upstream.requests[0])).toContain(
      String.raw`campaign.name = 'Aunt\'s \\ sale ab12cd34'`,
    );
  });

  it('makes it when it is not there', async () => {
    const journal = memoryJournal();
    journal.open.add('campaign');
    named(['70', 'Spring']);
    expect(await run(journal)).toMatchObject({ platformCampaignId: '77' });
  });

  it('takes a name that is taken for its own earlier attempt', async () => {
    named(['71', 'Spring ab12cd34']);
    upstream.next(failure(400, [problem({ campaignError: 'DUPLICATE_CAMPAIGN_NAME' })]));
    expect(await run(memoryJournal())).toMatchObject({ platformCampaignId: '71' });
  });

  it('refuses when the name is taken by nothing that can be found', async () => {
    named();
    upstream.next(failure(400, [problem({ campaignError: 'DUPLICATE_CAMPAIGN_NAME' })]));
    expect(await refusalOf(run(memoryJournal()))).toMatchObject({ upstream: { code: 'DUPLICATE_CAMPAIGN_NAME' } });
  });

  it.each<[string, Reply]>([
    ['breaks off', 'reset'],
    ['breaks off half-way', 'half'],
    ['fails', { status: 500, json: { error: { code: 500, message: 'Internal', status: 'INTERNAL' } } }],
    ['cannot be read', { text: '<html>' }],
    ['says nothing of what it made', { json: { mutateOperationResponses: [] } }],
  ])('leaves the outcome open, and sends nothing twice, when the answer %s', async (_how, reply) => {
    upstream.next(reply);
    expect(await refusalOf(run(memoryJournal()))).toMatchObject({ fault: 'unknown_outcome' });
    expect(paths()).toEqual(['mutate']);
  });

  it('sends the activation again when its answer is lost', async () => {
    const journal = memoryJournal();
    journal.ids['campaign'] = '77';
    upstream.next(rows(adRow()), 'reset');
    await run(journal);
    expect(paths()).toEqual(['search', 'mutate', 'mutate', 'search']);
  });
});

describe('the status of a new ad', () => {
  const withAd = (status: string, policySummary?: object, campaign = 'ENABLED'): void => {
    const row = adRow({
      adGroupAd: { status, ad: { id: '999' }, policySummary },
      campaign: { id: '77', status: campaign },
    });
    upstream.respond = (request) => (request.path.endsWith(':mutate') ? mutated(request) : rows(row));
  };

  it.each<[string, string, object | undefined, string]>([
    ['active', 'ENABLED', { approvalStatus: 'APPROVED', reviewStatus: 'REVIEWED' }, 'ENABLED'],
    ['active', 'ENABLED', { approvalStatus: 'APPROVED_LIMITED', reviewStatus: 'REVIEW_IN_PROGRESS' }, 'ENABLED'],
    ['active', 'ENABLED', undefined, 'ENABLED'],
    ['pending_review', 'ENABLED', { approvalStatus: 'UNKNOWN', reviewStatus: 'REVIEW_IN_PROGRESS' }, 'ENABLED'],
    ['paused', 'PAUSED', undefined, 'ENABLED'],
    ['paused', 'ENABLED', undefined, 'PAUSED'],
    ['rejected', 'ENABLED', { approvalStatus: 'DISAPPROVED' }, 'ENABLED'],
    ['cancelled', 'REMOVED', undefined, 'ENABLED'],
  ])('is %s when it is %s, %j, in a campaign that is %s', async (status, own, policy, campaign) => {
    withAd(own, policy, campaign);
    expect((await run(memoryJournal())).ads).toMatchObject([{ status }]);
  });

  it('names the policies that it breaks', async () => {
    withAd('ENABLED', {
      approvalStatus: 'DISAPPROVED',
      policyTopicEntries: [{ topic: 'ALCOHOL' }, { topic: 'GAMBLING' }],
    });
    expect((await run(memoryJournal())).ads).toMatchObject([{ rejectionReason: 'ALCOHOL, GAMBLING' }]);
  });

  it('is what was asked for when the platform does not say', async () => {
    upstream.respond = (request) => (request.path.endsWith(':mutate') ? mutated(request) : { status: 403, text: 'no' });
    expect((await run(memoryJournal())).ads).toMatchObject([{ platformAdId: '88~999', status: 'active' }]);
  });
});

describe('a dry run', () => {
  it('shows both requests with a word in place of the images, and sends nothing', async () => {
    const journal = memoryJournal(true);
    const created = await run(journal, inputs.display());
    expect(upstream.requests).toEqual([]);
    const shown = JSON.stringify(journal.requests['campaign']);
    expect(shown).toContain('<bytes of https://img.example/landscape.png>');
    expect(journal.requests['activate']).toMatchObject({ method: 'POST', body: { partialFailure: false } });
    expect(JSON.stringify(journal.requests)).not.toMatch(new RegExp(`${access.token}|devSecret`));
    expect(created.platformCampaignId).toBe('{campaign.id}');
  });

  it('refuses an image of the wrong shape', async () => {
    const images = { landscape: 'https://img.example/wide.png', square: 'https://img.example/square.png' };
    const refusal = await refusalOf(run(memoryJournal(true), inputs.display({ images })));
    expect(Object.keys(refusal.upstream.fields ?? {})).toEqual(['images.landscape']);
  });
});

describe('an image', () => {
  const land = 'https://img.example/l.png';
  const square = 'https://img.example/s.png';
  const place = (files: Record<string, Buffer>, extra = {}) =>
    adapterOf(upstream, {}, mediaOf(files)).createAds(
      access,
      orderOf(inputs.display({ images: { landscape: land, square }, ...extra }), dollars),
      memoryJournal(),
    );
  const good = { [land]: png(1200, 628), [square]: png(300, 300) };

  it.each<[string, string, Buffer | undefined]>([
    ['images.landscape', land, png(1600, 400)],
    ['images.landscape', land, png(1200, 600)],
    ['images.landscape', land, png(573, 300)],
    ['images.landscape', land, Buffer.from('<svg/>')],
    ['images.landscape', land, Buffer.alloc(0)],
    ['images.square', square, png(1080, 1000)],
    ['images.square', square, png(299, 299)],
    ['images.square', square, Buffer.concat([png(300, 300), Buffer.alloc(5 * 1024 * 1024)])],
    ['images.square', square, undefined],
  ])('that does not fit is refused as %s before anything is sent', async (field, url, bytes) => {
    const files = Object.fromEntries(
      Object.entries({ ...good, [url]: bytes }).filter(([, file]) => file),
    ) as typeof good;
    const refusal = await refusalOf(place(files));
    expect(refusal).toBeInstanceOf(PlatformError);
    expect(refusal).toMatchObject({ fault: 'rejected', upstream: { fields: { [field]: [expect.any(String)] } } });
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    [png(600, 314), png(300, 300)],
    [png(1910, 1000), png(1000, 1009)],
  ])('within one per cent of its ratio passes', async (landscape, other) => {
    await place({ [land]: landscape, [square]: other });
    expect(paths()).toContain('mutate');
  });

  it('given as imageUrl is named so', async () => {
    const extra = { images: { square }, imageUrl: land };
    const refusal = await refusalOf(place({ ...good, [land]: png(10, 10) }, extra));
    expect(Object.keys(refusal.upstream.fields ?? {})).toEqual(['imageUrl']);
  });

  it('is not looked at for a search ad', async () => {
    await run(memoryJournal(), inputs.search({ imageUrl: 'https://img.example/none.png' }));
    expect(JSON.stringify(upstream.requests[0]?.json)).not.toContain('asset');
  });
});
