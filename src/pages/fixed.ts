import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context, Handler } from 'hono';
import { hasTag, tagOf } from '../lib/entity-tag.ts';

type Encoding = 'br' | 'gzip' | 'identity';

const encoders: Record<Encoding, (content: Buffer) => Promise<Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
  identity: (content) => Promise.resolve(content),
};

/** Serves static content: loaded, hashed and compressed once, on the first request. */
export function fixed(type: string, read: () => string | Buffer, headers: Record<string, string> = {}): Handler {
  let content: { plain: Buffer; tag: string } | undefined;
  const encoded = new Map<Encoding, Promise<Buffer>>();
  return async (c) => {
    content ??= contentOf(read());
    const { plain, tag } = content;
    c.header('ETag', tag);
    // This replaces what CORS has set, so it repeats it.
    c.header('Vary', 'Accept-Encoding, Origin');
    c.header('Cache-Control', 'no-cache');
    if (hasTag(c.req.header('if-none-match'), tag)) return c.body(null, 304, headers);
    const encoding = encodingFor(c);
    const body = encoded.get(encoding) ?? encoders[encoding](plain);
    encoded.set(encoding, body);
    // The next request tries again.
    body.catch(() => encoded.delete(encoding));
    if (encoding !== 'identity') c.header('Content-Encoding', encoding);
    return c.body(new Uint8Array(await body), 200, { 'Content-Type': type, ...headers });
  };
}

function contentOf(read: string | Buffer): { plain: Buffer; tag: string } {
  const plain = Buffer.from(read);
  return { plain, tag: tagOf(plain) };
}

/** The smallest form that `Accept-Encoding` allows; `q=0` forbids one. */
function encodingFor(c: Context): Encoding {
  const accepted = (c.req.header('accept-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
    .filter(([, quality]) => !/^q=0(\.0*)?$/.test(quality ?? ''))
    .map(([name]) => name);
  return (['br', 'gzip'] as const).find((name) => accepted.includes(name)) ?? 'identity';
}
