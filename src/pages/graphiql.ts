import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { inlineHashes, policy } from '../lib/content-policy.ts';
import { tagOf } from '../lib/entity-tag.ts';
import { explorerTabs, type Demo } from './explorer-tabs.ts';
import { navigationHeader, navigationHeight, navigationStyle } from './navigation.ts';

export interface GraphiqlPage {
  body: Buffer;
  headers: Record<string, string>;
}

const explorerPolicy = (html: string): string =>
  policy({
    'script-src': inlineHashes(html, 'script'),
    'style-src': "'unsafe-inline'",
    'img-src': 'data:',
    'font-src': 'data:',
    'connect-src': "'self'",
    'worker-src': 'blob:',
  });

interface Variant {
  plain: Buffer;
  policy: string;
  packed: Buffer;
  tag: string;
}

/** The page without and with the demo data, each built and compressed once. */
const variants = new Map<string, Promise<Variant>>();

async function variantFor(demo: Demo = { apiKey: 'sk_your_key' }): Promise<Variant> {
  const name = JSON.stringify(demo);
  const known = variants.get(name);
  if (known) return known;
  if (variants.size > 1) variants.clear();
  const made = makeVariant(demo);
  variants.set(name, made);
  return made;
}

const root = '<div id="root">';
const style = `<style>${navigationStyle} #root .graphiql-container { height: calc(100vh - ${navigationHeight}); }</style>`;

/** The explorer fills the window below the links. */
const withNavigation = (html: string): string =>
  html.replace(root, () => `${style}${navigationHeader('/graphql')}${root}`);

/** Loaded on the first request, because it weighs some 9 MB. */
async function makeVariant(demo: Demo): Promise<Variant> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const defaultTabs = explorerTabs(demo);
  const html = withNavigation(
    renderGraphiQL({
      title: 'API explorer',
      defaultTabs,
      headers: defaultTabs[0]?.headers,
      shouldPersistHeaders: false,
    }),
  );
  const plain = Buffer.from(html);
  return { plain, packed: await promisify(gzip)(plain), tag: tagOf(plain), policy: explorerPolicy(html) };
}

/** The explorer as one page without external requests. */
export async function graphiqlPage(demo: Demo | undefined, acceptsGzip: boolean): Promise<GraphiqlPage> {
  const { plain, packed, tag, policy: pagePolicy } = await variantFor(demo);
  return {
    body: acceptsGzip ? packed : plain,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ...(acceptsGzip && { 'Content-Encoding': 'gzip' }),
      ETag: tag,
      Vary: 'Accept-Encoding',
      'Content-Security-Policy': pagePolicy,
      // The page may contain a key, so it may only be cached by this browser and must be revalidated.
      'Cache-Control': 'private, no-cache',
    },
  };
}
