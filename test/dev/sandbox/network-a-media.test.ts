import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../../src/dev/sandbox/index.ts';
import {
  adSet,
  caller,
  campaign,
  connect,
  creative,
  refused,
  us,
  type Call,
  type Fields,
  type Person,
} from './graph.ts';

let sandbox: Sandbox;
let person: Person;
let act: string;
const call: Call = (...args) => caller(sandbox.url, person.accessToken)(...args);
const post = (path: string, fields: Fields) => call('POST', path, { fields });

beforeAll(async () => {
  sandbox = await startSandbox();
  person = await connect(sandbox.url);
  act = `act_${person.adAccounts[0]?.id}`;
});
afterAll(() => sandbox.stop());

const sample = async (): Promise<Buffer> =>
  Buffer.from(await (await fetch(`${sandbox.url}/media/landscape.png`)).arrayBuffer());
const page = (): string | undefined => person.pages[0]?.id;
const videoStory = (videoId: string, extra: Fields = {}): Fields => ({
  name: 'V',
  object_story_spec: {
    page_id: page(),
    video_data: { video_id: videoId, image_url: 'https://a.example/t.png', ...extra },
  },
});

describe('images', () => {
  it('come by bytes, with their size, and are taken by their hash and by no other', async () => {
    const { body } = await post(`${act}/adimages`, { bytes: (await sample()).toString('base64') });
    expect(body.images.bytes).toMatchObject({
      width: 1200,
      height: 628,
      hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const hashed = (hash: string): Fields => creative(page(), { picture: undefined, image_hash: hash });
    expect((await post(`${act}/adcreatives`, hashed(body.images.bytes.hash))).body.id).toBeDefined();
    expect(await post(`${act}/adcreatives`, hashed('other'))).toMatchObject(refused(100));
  });

  it('come as files too, keyed by their field, and the same bytes are the same image', async () => {
    const parts = new FormData();
    parts.set('photo.png', new Blob([new Uint8Array(await sample())]), 'photo.png');
    const response = await fetch(`${sandbox.url}/network-a/v26.0/${act}/adimages`, {
      method: 'POST',
      body: parts,
      headers: { Authorization: `Bearer ${person.accessToken}` },
    });
    const { images } = (await response.json()) as { images: Record<string, { hash: string }> };
    const again = await post(`${act}/adimages`, { bytes: (await sample()).toString('base64') });
    expect(images['photo.png']?.hash).toBe(again.body.images.bytes.hash);
  });

  it('are refused when they are something else', async () => {
    const text = Buffer.from('no picture').toString('base64');
    expect(await post(`${act}/adimages`, { bytes: text })).toMatchObject(refused(100, 1487411));
  });
});

describe('videos', () => {
  it('are worked up after some looks, with a placeholder until then', async () => {
    const { body } = await post(`${act}/advideos`, { file_url: 'https://a.example/v.mp4' });
    const look = () => call('GET', `${body.id}?fields=status,picture,thumbnails{uri,is_preferred}`);
    expect((await look()).body).toMatchObject({
      status: { video_status: 'processing' },
      picture: expect.stringContaining('placeholder'),
    });
    expect(await post(`${act}/adcreatives`, videoStory(body.id))).toMatchObject(refused(100, 1885252));
    await look();
    expect((await look()).body).toMatchObject({
      status: { video_status: 'ready' },
      thumbnails: { data: [{ uri: expect.any(String), is_preferred: true }] },
    });
    expect(await post(`${act}/adcreatives`, videoStory(body.id, { image_url: undefined }))).toMatchObject(
      refused(100, 1443226),
    );
    for (const odd of ['description', 'link'])
      expect(await post(`${act}/adcreatives`, videoStory(body.id, { [odd]: 'x' }))).toMatchObject(refused(100));
    expect((await post(`${act}/adcreatives`, videoStory(body.id))).body.id).toBeDefined();
  });

  it('can be out of reach, or end in an error', async () => {
    expect(await post(`${act}/advideos`, { file_url: 'https://unreachable.example/v.mp4' })).toMatchObject(
      refused(389),
    );
    const { body } = await post(`${act}/advideos`, { file_url: 'https://a.example/broken.mp4' });
    expect((await call('GET', `${body.id}?fields=status`)).body.status.video_status).toBe('error');
  });
});

describe('buttons', () => {
  it.each([
    ['a call without a number', { type: 'CALL_NOW', value: { link: 'https://a.example/' } }, 100],
    ['a message with a value', { type: 'WHATSAPP_MESSAGE', value: { link: 'https://a.example/' } }, 105, 1815630],
    ['a link button without link', { type: 'SHOP_NOW' }, 100],
  ])('refuse %s', async (_what, button, code, subcode?: number) => {
    const spec = creative(page(), { call_to_action: button });
    expect(await post(`${act}/adcreatives`, spec)).toMatchObject(refused(code, subcode));
  });
});

describe('URL tags', () => {
  it.each([
    ['a=b&c={{campaign.id}}-{{ad.name}}', 200],
    ['?a=b', 400],
    ['a', 400],
    ['a=b c', 400],
    ['a={{keyword}}', 400],
  ])('%s have the status %i', async (tags, status) => {
    expect((await post(`${act}/adcreatives`, { ...creative(page()), url_tags: tags })).status).toBe(status);
  });
});

describe('ads', () => {
  const adIn = async (extra: Fields, data: Fields = {}): Promise<unknown> => {
    const { body } = await post(`${act}/campaigns`, campaign({ objective: extra['objective'] ?? 'OUTCOME_TRAFFIC' }));
    const { objective: _objective, ...set } = extra;
    const setId = (await post(`${act}/adsets`, adSet(body.id, set))).body.id;
    const creativeId = (await post(`${act}/adcreatives`, creative(page(), data))).body.id;
    return post(`${act}/ads`, { name: 'A', adset_id: setId, creative: { creative_id: creativeId }, status: 'ACTIVE' });
  };

  it('must show the page of their ad set', async () => {
    const set = {
      optimization_goal: 'POST_ENGAGEMENT',
      destination_type: 'ON_POST',
      promoted_object: { page_id: '1' },
    };
    expect(await adIn({ objective: 'OUTCOME_ENGAGEMENT', ...set })).toMatchObject(refused(100, 1885029));
  });

  it('must open the form where leads are collected on the ad', async () => {
    const set = {
      optimization_goal: 'LEAD_GENERATION',
      destination_type: 'ON_AD',
      promoted_object: { page_id: page() },
    };
    expect(await adIn({ objective: 'OUTCOME_LEADS', ...set })).toMatchObject(refused(100));
    const button = { type: 'SIGN_UP', value: { lead_gen_form_id: '77', link: 'https://a.example/' } };
    expect(await adIn({ objective: 'OUTCOME_LEADS', ...set }, { call_to_action: button })).toMatchObject({
      status: 200,
    });
  });

  it('share a dynamic ad set with no other', async () => {
    const campaignId = (await post(`${act}/campaigns`, campaign())).body.id;
    const set = { ...adSet(campaignId), is_dynamic_creative: true };
    const setId = (await call('POST', `${act}/adsets`, { fields: set, json: true })).body.id;
    const creativeId = (await post(`${act}/adcreatives`, creative(page()))).body.id;
    const ad = { name: 'A', adset_id: setId, creative: { creative_id: creativeId }, status: 'ACTIVE' };
    expect((await post(`${act}/ads`, ad)).status).toBe(200);
    expect(await post(`${act}/ads`, ad)).toMatchObject(refused(100, 1885553));
  });

  it('can be held in review or rejected by their name', async () => {
    const campaignId = (await post(`${act}/campaigns`, campaign({ status: 'ACTIVE' }))).body.id;
    const setId = (await post(`${act}/adsets`, adSet(campaignId, { targeting: us }))).body.id;
    const creativeId = (await post(`${act}/adcreatives`, creative(page()))).body.id;
    for (const [name, status] of [
      ['[review:pending]', 'PENDING_REVIEW'],
      ['[review:rejected]', 'DISAPPROVED'],
    ]) {
      const ad = { name, adset_id: setId, creative: { creative_id: creativeId }, status: 'ACTIVE' };
      const { id } = (await post(`${act}/ads`, ad)).body;
      const { body } = await call('GET', `${id}?fields=effective_status,ad_review_feedback`);
      expect(body.effective_status).toBe(status);
      expect('ad_review_feedback' in body).toBe(status === 'DISAPPROVED');
    }
  });
});
