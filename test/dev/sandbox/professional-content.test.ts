import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  caller,
  connect,
  control,
  groupOf,
  postOf,
  refused,
  type Answer,
  type Call,
  type Fields,
  type Person,
} from './restli.ts';

let sandbox: Sandbox;
let person: Person;
let account: string;
let owner: string;
let call: Call;

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  account = person.adAccounts[0]?.id ?? '';
  owner = person.organizations[0]?.urn ?? '';
  call = caller(sandbox.url, person.accessToken);
});
afterAll(() => sandbox.stop());

const sample = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await fetch(`${sandbox.url}/media/${name}`)).arrayBuffer());
const begin = (kind: string, order: Fields): Promise<Answer> =>
  call('POST', `${kind}?action=initializeUpload`, { json: { initializeUploadRequest: { owner, ...order } } });
const statusOf = async (urn: string): Promise<string> =>
  (await call('GET', `${urn.split(':')[2]}s/${encodeURIComponent(urn)}`)).body.status;
const urn = (kind: string, id: string): string => encodeURIComponent(`urn:li:${kind}:${id}`);
const post = (extra: Fields = {}): Promise<Answer> => call('POST', 'posts', { json: postOf(owner, account, extra) });

async function newImage(): Promise<string> {
  const { uploadUrl, image } = (await begin('images', {})).body.value;
  expect((await call('PUT', uploadUrl, { bytes: await sample('landscape.png') })).status).toBe(201);
  return image;
}

describe('images', () => {
  it('wait for their bytes, are processed, and are then there', async () => {
    const { uploadUrl, image, uploadUrlExpiresAt } = (await begin('images', {})).body.value;
    expect(uploadUrl.startsWith(`${sandbox.url}/professional/`)).toBe(true);
    expect(uploadUrlExpiresAt).toBeGreaterThan(1_700_000_000_000);
    expect(await statusOf(image)).toBe('WAITING_UPLOAD');
    const bytes = await sample('square.png');
    expect((await call('PUT', uploadUrl, { bytes, token: null })).status).toBe(401);
    expect((await call('PUT', uploadUrl, { bytes })).status).toBe(201);
    expect([await statusOf(image), await statusOf(image)]).toEqual(['PROCESSING', 'AVAILABLE']);
    const { body } = await call('GET', `images?ids=List(${encodeURIComponent(image)},urn%3Ali%3Aimage%3Anone)`);
    expect(body).toMatchObject({
      results: { [image]: { owner, status: 'AVAILABLE' } },
      statuses: { 'urn:li:image:none': 404 },
    });
  });

  it('fail in processing where the bytes are none of an image', async () => {
    const { uploadUrl, image } = (await begin('images', {})).body.value;
    await call('PUT', uploadUrl, { bytes: await sample('video.mp4') });
    expect(await statusOf(image)).toBe('PROCESSING_FAILED');
  });

  it('of a person or of an organisation that is not theirs are refused with a bare status', async () => {
    for (const other of [`urn:li:person:${person.userId}`, 'urn:li:organization:1'])
      expect(await begin('images', { owner: other })).toMatchObject({ status: 403, body: { status: 403 } });
    expect((await begin('images', { owner: `urn:li:person:${person.userId}` })).body).toEqual({ status: 403 });
  });
});

describe('videos', () => {
  const order = { uploadCaptions: false, uploadThumbnail: false };

  it('come in parts, each with a tag, and are finalized with all of them in order', async () => {
    const bytes = new Uint8Array(5 * 1024 * 1024);
    const { video, uploadInstructions, uploadToken } = (
      await begin('videos', { ...order, fileSizeBytes: bytes.length })
    ).body.value;
    expect(uploadInstructions).toMatchObject([
      { firstByte: 0, lastByte: 4_194_303 },
      { firstByte: 4_194_304, lastByte: bytes.length - 1 },
    ]);
    const tags: (string | null)[] = [];
    for (const { uploadUrl, firstByte, lastByte } of uploadInstructions) {
      expect((await call('PUT', uploadUrl, { bytes: bytes.slice(0, 9) })).status).toBe(400);
      const { headers, status } = await call('PUT', uploadUrl, { bytes: bytes.slice(firstByte, lastByte + 1) });
      expect(status).toBe(200);
      tags.push(headers.get('etag'));
    }
    const finalize = (uploadedPartIds: unknown, token = uploadToken): Promise<Answer> =>
      call('POST', 'videos?action=finalizeUpload', {
        json: { finalizeUploadRequest: { video, uploadToken: token, uploadedPartIds } },
      });
    expect((await finalize(tags.toReversed())).status).toBe(422);
    expect((await finalize(tags, 'other')).status).toBe(422);
    expect((await finalize(tags)).status).toBe(204);
    expect([await statusOf(video), await statusOf(video)]).toEqual(['PROCESSING', 'AVAILABLE']);
    expect((await post({ content: { media: { id: video } } })).id).toMatch(/^urn:li:ugcPost:\d{19}$/);
  });

  it('are refused beyond 500 MB and without their size', async () => {
    expect((await begin('videos', { ...order, fileSizeBytes: 500 * 1024 * 1024 + 1 })).status).toBe(422);
    expect(await begin('videos', order)).toMatchObject(refused(422, /fileSizeBytes :: field is required/));
  });
});

describe('posts', () => {
  it('show media that is ready and of the author, and are named by a URN in a header', async () => {
    const image = await newImage();
    const content = { media: { id: image, title: 'Spring garden sale' } };
    expect(await post({ content })).toMatchObject(refused(422, /not available/));
    await statusOf(image);
    const made = await post({ content });
    expect(made).toMatchObject({ status: 201, body: '', id: expect.stringMatching(/^urn:li:share:\d{19}$/) });
    expect((await call('GET', `posts/${encodeURIComponent(made.id)}`)).body).toMatchObject({
      id: made.id,
      author: owner,
    });
    const article = { source: 'https://shop.example/', title: 'Sale', description: 'More', thumbnail: image };
    expect((await post({ content: { article } })).status).toBe(201);
  });

  it.each([
    [
      'dscAdType',
      { adContext: { dscAdAccount: 'urn:li:sponsoredAccount:1', dscStatus: 'ACTIVE', dscAdType: 'VIDEO' } },
      /dscAdType :: ReadOnly/,
    ],
    ['a call to action without a link', { contentLandingPage: undefined }, /contentLandingPage/],
    ['an unknown call to action', { contentCallToActionLabel: 'ORDER' }, /"ORDER" is not an enum symbol/],
    [
      'a headline beyond 200',
      { content: { media: { id: 'urn:li:image:x', title: 'x'.repeat(201) } } },
      /title :: length/,
    ],
    ['a text beyond 3000', { commentary: 'x'.repeat(3001) }, /commentary :: length/],
    ['an image that is none', { content: { media: { id: 'urn:li:image:none' } } }, /does not exist/],
    ['no visibility', { visibility: undefined }, /visibility :: field is required/],
    ['no ad context in no feed', { adContext: undefined }, /adContext/],
    ['an unknown field', { text: 'x' }, /unrecognized field/],
  ] as [string, Fields, RegExp][])('refuse %s', async (_what, extra, message) => {
    expect(await post(extra)).toMatchObject(refused(422, message));
  });

  it('are refused for people and accounts that are not theirs', async () => {
    expect(await post({ author: `urn:li:person:${person.userId}` })).toMatchObject(
      refused(403, /\/author/, { serviceErrorCode: 100 }),
    );
    const other = await connect(sandbox.url);
    const adContext = { dscAdAccount: `urn:li:sponsoredAccount:${other.adAccounts[0]?.id}`, dscStatus: 'ACTIVE' };
    expect(await post({ adContext })).toMatchObject(refused(403, /dscAdAccount/));
  });

  it('are refused when the same was posted before, even when that was deleted', async () => {
    const extra = { commentary: 'Twice' };
    const { id } = await post(extra);
    await call('DELETE', `posts/${encodeURIComponent(id)}`);
    expect((await call('GET', `posts/${encodeURIComponent(id)}`)).status).toBe(404);
    expect(await post(extra)).toMatchObject(refused(422, new RegExp(id), { code: 'DUPLICATE_POST' }));
  });

  it('keep their link and picture, and are not read back without the scope', async () => {
    const { id } = await post({ commentary: 'Fixed' });
    const path = `posts/${encodeURIComponent(id)}`;
    const change = (fields: Fields): Promise<Answer> =>
      call('POST', path, { json: { patch: { $set: fields } }, headers: { 'X-RestLi-Method': 'PARTIAL_UPDATE' } });
    expect((await change({ commentary: 'Other' })).status).toBe(204);
    expect((await call('GET', path)).body.commentary).toBe('Other');
    expect((await change({ contentLandingPage: 'https://b.example/' })).status).toBe(422);
    const { accessToken: token } = await connect(sandbox.url, { scopes: ['w_organization_social'] });
    expect(await call('GET', path, { token })).toMatchObject(refused(403, /r_organization_social/));
  });

  it('are found by the ad account that they were made for or by their author, the newest first', async () => {
    const other = await connect(sandbox.url);
    const mine = urn('sponsoredAccount', account);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const adContext = {
        dscAdAccount: `urn:li:sponsoredAccount:${account}`,
        dscStatus: 'ACTIVE',
        dscName: `Found ${at}`,
      };
      ids.unshift((await post({ commentary: `Found ${at}`, adContext })).id);
    }
    const organic = await post({
      commentary: 'For all',
      adContext: undefined,
      distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
    });
    const found = async (query: string): Promise<Answer> => call('GET', `posts?${query}`);
    const idsOf = ({ body }: Answer): string[] => body.elements.map(({ id }: { id: string }) => id);
    const sponsored = `q=dscAdAccount&dscAdAccount=${mine}&dscAdTypes=List(STANDARD,VIDEO)`;
    const first = await found(`${sponsored}&start=0&count=2`);
    expect(first.body.elements[0].adContext).toMatchObject({ dscName: 'Found 2', isDsc: true, dscAdType: 'STANDARD' });
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    expect(idsOf(await found(`${sponsored}&start=2&count=1`))).toEqual(ids.slice(2));
    expect(idsOf(await found(`q=dscAdAccount&dscAdAccount=${mine}&dscAdTypes=List(VIDEO)`))).not.toContain(ids[0]);
    const author = `q=author&author=${encodeURIComponent(String(owner))}`;
    expect(idsOf(await found(`${author}&sortBy=LAST_MODIFIED`))).toEqual([organic.id]);
    expect(idsOf(await found(`${author}&isDsc=true&count=1`))).toEqual([ids[0]]);
    for (const [query, status] of [
      ['q=dscAdAccount', 400],
      [`${sponsored}&count=101`, 400],
      [`${sponsored}&pageSize=10`, 400],
      [`q=dscAdAccount&dscAdAccount=${mine}&dscAdTypes=List(FILM)`, 400],
      [`q=dscAdAccount&dscAdAccount=${urn('sponsoredAccount', other.adAccounts[0]?.id ?? '')}`, 403],
      [`q=author&author=${urn('organization', other.organizations[0]?.id ?? '')}`, 403],
      ['q=mine', 400],
    ] as const)
      expect(await found(query), query).toMatchObject({ status });
    const { accessToken: token } = await connect(sandbox.url, { scopes: ['w_organization_social'] });
    expect(await call('GET', `posts?${sponsored}`, { token })).toMatchObject(refused(403, /r_organization_social/));
  });

  it('lose what follows a raw bracket only while that quirk is on', async () => {
    const written = async (commentary: string): Promise<string> => {
      const { id } = await post({ commentary });
      return (await call('GET', `posts/${encodeURIComponent(id)}`)).body.commentary;
    };
    expect(await written('Shears (new)')).toBe('Shears (new)');
    await control(sandbox.url, 'quirks', { cutText: true });
    expect(await written('Pruners (new)')).toBe('Pruners ');
    expect(await written('Pruners \\(new\\)')).toBe('Pruners \\(new\\)');
    await control(sandbox.url, 'quirks', { cutText: false });
  });
});

it('injects a fault that a name asks for, in its own envelope', async () => {
  const group = groupOf(account, { name: 'A [fault:rate_limited]' });
  const limited = await call('POST', `adAccounts/${account}/adCampaignGroups`, { json: group });
  expect(limited).toMatchObject(refused(429, /throttle/));
  expect(limited.headers.get('retry-after')).toBeNull();
  const json = postOf(person.organizations[0]?.urn, account, {
    adContext: {
      dscAdAccount: `urn:li:sponsoredAccount:${account}`,
      dscStatus: 'ACTIVE',
      dscName: 'A [fault:http_500@posts]',
    },
  });
  expect((await call('POST', 'posts', { json })).status).toBe(500);
  expect((await call('POST', 'posts', { json })).status).toBe(201);
});
