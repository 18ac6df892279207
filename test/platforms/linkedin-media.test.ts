import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUpstream } from '../../src/platforms/http.ts';
import { createClient } from '../../src/platforms/linkedin/client.ts';
import { uploadMedia } from '../../src/platforms/linkedin/media.ts';
import { mediaOf } from './media.ts';
import { access, refusalOf } from './fixtures.ts';
import { startUpstream, type FakeUpstream, type Reply } from './upstream.ts';

let upstream: FakeUpstream;
beforeEach(async () => void (upstream = await startUpstream()));
afterEach(() => upstream.stop());

const video = 'urn:li:video:1';
const film = Buffer.from('00000014667479706d703432000000006d703432', 'hex');

/** Uploads a film whose last word meets this, while the platform says so of it. */
function upload(atLast: Reply, states: string[]): Promise<string> {
  upstream.respond = ({ method, query, path }) => {
    if (query['action'] === 'initializeUpload') {
      const uploadInstructions = [{ uploadUrl: `${upstream.url}/part`, firstByte: 0, lastByte: film.length - 1 }];
      return { json: { value: { video, uploadToken: 'token', uploadInstructions } } };
    }
    if (query['action'] === 'finalizeUpload') return atLast;
    if (path === '/part') return { text: '', headers: { etag: 'tag' } };
    return method === 'GET' ? { json: { status: states.length > 1 ? states.shift() : states[0] } } : undefined;
  };
  const client = createClient(createUpstream({ platform: 'F', baseUrl: upstream.url }), {
    baseUrl: upstream.url,
    version: '202611',
  });
  const order = { input: { video: { url: 'https://shop.example/film.mp4' } } };
  const journal = { dryRun: false, run: (step: { send: () => Promise<string> }) => step.send() };
  const media = mediaOf({ 'https://shop.example/film.mp4': film });
  return uploadMedia({ client, access, order, journal, media } as never, 'urn:li:organization:1');
}

describe('a film on F whose last word was', () => {
  it('answered without a body is there', async () => {
    expect(await upload({ status: 204, text: '' }, ['PROCESSING', 'AVAILABLE'])).toBe(video);
  });

  it('lost after it was heard is there', async () => {
    expect(await upload('reset', ['PROCESSING', 'AVAILABLE'])).toBe(video);
  });

  it.each<[string, string[]]>([
    ['never heard', ['WAITING_UPLOAD']],
    ['lost without further details', []],
  ])('%s is of unknown outcome, so that it is uploaded again', async (_name, states) => {
    const refusal = await refusalOf(upload('reset', states));
    expect(refusal).toMatchObject({ fault: 'unknown_outcome' });
  });
});
