import { signatureHeaders } from '../../services/webhooks/sign.ts';

export interface Vector {
  name: string;
  /** The receiver's possible secrets; each gives the same result. */
  secrets: string[];
  body: string;
  headers: Record<string, string>;
  /** The receiver's clock, in unix seconds. */
  now: number;
  genuine: boolean;
}

const timestamp = Date.parse('2027-01-31T09:00:00Z') / 1000;
const id = 'evt_000000000000000000000001';
const bytes = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const words = 'a secret of many letters';
const sample = JSON.stringify({
  id,
  event: 'ad.created',
  timestamp: '2027-01-31T09:00:00.000Z',
  ad: { name: 'Spring' },
});

const signed = (name: string, secrets: string[], body = sample): Vector => ({
  name,
  secrets,
  body,
  headers: signatureHeaders({ id, timestamp, body }, secrets, true),
  now: timestamp,
  genuine: true,
});

const forged = (name: string, change: Partial<Vector> | ((vector: Vector) => Partial<Vector>)): Vector => {
  const vector = signed(name, [bytes]);
  return { ...vector, ...(typeof change === 'function' ? change(vector) : change), genuine: false };
};

const withHeader =
  (name: string, value: string) =>
  (vector: Vector): Partial<Vector> => ({
    headers: { ...vector.headers, [name]: value },
  });

/** Signed requests with expected results, for receivers in any language. */
export const webhookVectors = (): { about: string; vectors: Vector[] } => ({ about, vectors: vectors() });

const about =
  'Signed requests. A receiver that holds any one of `secrets`, whose clock shows `now` and that allows 300 seconds, must return `genuine`. `body` is the text of the body, in UTF-8.';

const vectors = (): Vector[] => [
  signed('a key in base64', [bytes]),
  signed('a key of plain words', [words]),
  signed('a key of other than ASCII letters', ['Grüße, 世界']),
  signed('two keys while the secret is being changed', [words, bytes]),
  signed('an empty body', [bytes], ''),
  signed('a body with characters of two, three and four bytes', [bytes], JSON.stringify({ id, text: 'é 世 🎉' })),
  forged('a body with one more space', ({ body }) => ({ body: `${body} ` })),
  forged('another id', withHeader('webhook-id', 'evt_000000000000000000000002')),
  forged('another timestamp', withHeader('webhook-timestamp', String(timestamp + 1))),
  forged('a timestamp of long ago', { now: timestamp + 301 }),
  forged('a timestamp far ahead', { now: timestamp - 301 }),
  forged('the secret of another user', { secrets: [words] }),
  forged('a signature of another version', (vector) =>
    withHeader('webhook-signature', String(vector.headers['webhook-signature']).replace('v1,', 'v2,'))(vector),
  ),
  forged('no signature', ({ headers: { 'webhook-signature': _gone, ...headers } }) => ({ headers })),
];
