import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUserFixture } from '../support/user-fixture.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { visitor } from './browser-session.ts';
import { markupProblems } from './markup.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const pages = ['/', '/ads', '/deliveries', '/stops', '/docs', '/graphql'];

/** The links of the navigation, with what `aria-current` says. */
function linksIn(text: string): Record<string, string | undefined> {
  const [, nav = ''] = /<nav class="site"[^>]*>([\s\S]*?)<\/nav>/.exec(text) ?? [];
  const links = nav.matchAll(/<a href="([^"]+)"(?: aria-current="(\w+)")?>/g);
  return Object.fromEntries([...links].map(([, href = '', current]) => [href, current]));
}

describe('the navigation', () => {
  it.each(pages)('leads from %s to all pages and marks the current one', async (path) => {
    const { text } = await visitor(app.url).get(path, { Accept: 'text/html' });
    expect(linksIn(text)).toEqual(Object.fromEntries(pages.map((href) => [href, href === path ? 'page' : undefined])));
    expect(text.match(/<nav class="site"/g)).toHaveLength(1);
  });

  it.each(['/', '/ads', '/deliveries', '/stops', '/docs'])('stands in a valid page at %s', async (path) => {
    const { text } = await visitor(app.url).get(path);
    expect(await markupProblems(text)).toEqual([]);
  });

  it('marks the section of a page that it does not link to', async () => {
    const { key } = await createUserFixture(app);
    const person = visitor(app.url);
    await person.signIn(key);
    const { status, text } = await person.get(`/deliveries/${'a'.repeat(24)}`);
    expect([status, linksIn(text)['/deliveries']]).toEqual([404, 'true']);
  });
});
