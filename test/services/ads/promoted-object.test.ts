import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreateAdInput } from '../../../src/contract/ad-input.ts';
import { createAd } from '../../../src/services/ads/create-ad.ts';
import { createUserFixture, openStore, type Store } from './fixture.ts';

let store: Store;
beforeAll(async () => void (store = await openStore()));
afterAll(() => store.stop());

const everything = {
  pixelId: '1',
  customEventType: 'PURCHASE',
  pageId: '2',
  applicationId: '3',
  objectStoreUrl: 'https://apps.example/3',
  customConversionId: '4',
  productCatalogId: '5',
  productSetId: '6',
  leadFormId: '7',
};

it.each<[CreateAdInput['goal'], string[]]>([
  ['traffic', ['pageId']],
  ['engagement', ['pageId']],
  ['awareness', ['pageId']],
  ['lead_generation', ['pageId', 'leadFormId']],
  ['conversions', ['pixelId', 'customEventType', 'pageId', 'customConversionId', 'productCatalogId', 'productSetId']],
  ['app_promotion', ['customEventType', 'pageId', 'applicationId', 'objectStoreUrl']],
])('of a promotedObject for %s platform A gets %j, and each other member is a warning', async (goal, kept) => {
  const fixture = await createUserFixture(store);
  const answer = await createAd(fixture.ctx, fixture.input({ goal, promotedObject: everything }));
  const sent = fixture.fake.orders[0]?.input.promotedObject ?? {};
  expect(Object.keys(sent).toSorted()).toEqual(kept.toSorted());
  const foreign = Object.keys(everything).filter((name) => !kept.includes(name));
  const warned = (answer.warnings ?? [])
    .map(({ param }) => param)
    .filter((param) => param.startsWith('promotedObject.'));
  expect(warned.toSorted()).toEqual(foreign.map((name) => `promotedObject.${name}`).toSorted());
});
