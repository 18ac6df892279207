import type { TestApp } from './app.ts';
import { goodAd, type UserFixture } from './user-fixture.ts';

/** A copy without the named members. */
export const leaving = (ad: Record<string, unknown>, ...names: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(ad).filter(([name]) => !names.includes(name)));

/** One entry of a multi-creative ad. */
export const entry = {
  headline: 'One',
  body: 'Text',
  callToAction: 'LEARN_MORE',
  linkUrl: 'https://shop.example/',
  imageUrl: 'https://shop.example/1.jpg',
};

/** Two ads in one campaign. */
export const multiAd = (fixture: UserFixture, extra: object = {}): object => ({
  ...leaving(goodAd(fixture), 'headline', 'body', 'imageUrl', 'linkUrl', 'callToAction'),
  creatives: [entry, { ...entry, headline: 'Two' }],
  ...extra,
});

export interface Received {
  path: string;
  method: string;
  body: Record<string, never>;
}

/** What the platform received meanwhile. */
export async function receivedBy({ sandbox }: TestApp, run: () => Promise<unknown>): Promise<Received[]> {
  await fetch(`${sandbox.url}/ledger`, { method: 'DELETE' });
  await run();
  const { entries } = (await (await fetch(`${sandbox.url}/ledger`)).json()) as { entries: Received[] };
  return entries;
}

export interface Held {
  id: string;
  /** The ad account. */
  accountId: string;
  fields: Record<string, unknown>;
}

/** What the platform holds of a kind. */
export async function heldBy({ sandbox }: TestApp, type: string): Promise<Held[]> {
  const answer = await fetch(`${sandbox.url}/control/network-a/objects?type=${type}`);
  return ((await answer.json()) as { objects: Held[] }).objects;
}
