import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DuplicateCampaignInput } from '../../../src/contract/duplication.ts';
import { newId } from '../../../src/lib/id.ts';
import type { FaultName } from '../../../src/dev/sandbox/faults.ts';
import { stepsOf } from '../../../src/services/duplications/find-steps.ts';
import { duplicateCampaign } from '../../../src/services/duplications/duplicate-campaign.ts';
import { runDuplication } from '../../../src/services/duplications/run-duplication.ts';
import { mortal } from './crash-after.ts';
import {
  control,
  makeCopyUser,
  named,
  plant,
  shapeOf,
  startCopyFixture,
  type CopyPlatform,
  type CopyUser,
  type CopyFixture,
  type SourceTree,
} from './fixture.ts';
import { repeats } from '../../support/sample.ts';

/** Of each platform; `COPY_RUNS=2500 npm test -- test/services/duplications/crash.test.ts` for a long look. */
const numRuns = Number(process.env['COPY_RUNS'] ?? repeats(6, 250));

let fixture: CopyFixture;
beforeAll(async () => void (fixture = await startCopyFixture()));
afterAll(() => fixture.stop());

// Few names, so that siblings share them.
const name = fc.constantFrom('Coats', 'Hats', 'Shoes');
const some = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.record({ name }), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.array(fc.record({ name }), { minLength: 21, maxLength: 24 }) },
);
const tree: fc.Arbitrary<SourceTree> = fc.record({
  name,
  adSets: fc.array(fc.record({ name, ads: some }), { maxLength: 4 }),
});
const failures: FaultName[] = [
  'reset_after',
  'http_500',
  'html_502',
  'ok_with_error',
  'malformed',
  'transient',
  'rate_limited',
];
const failure = fc.record({ fault: fc.constantFrom(...failures), skip: fc.nat(12) });

/** One process works on the duplication until it ends, waits, or is killed; answers whether there is more to do. */
async function live(user: CopyUser, input: DuplicateCampaignInput, { id, moments }: { id: string; moments: number }) {
  const { services } = fixture;
  const life = mortal(fixture, moments);
  const ctx = { ...user.ctx, ...life.services };
  const doc = await services.db.duplications.findOne({ _id: id }).lean();
  const isCall = !doc || (doc.status === 'failed' && doc.copiedCampaignId === null);
  const work = isCall ? duplicateCampaign(ctx, input, id) : runDuplication(ctx, id);
  await Promise.race([work.catch(() => undefined), life.died]);
  const now = await services.db.duplications.findOne({ _id: id }).lean();
  const waitMs = ((now?.lease?.until ?? now?.runAt)?.getTime() ?? 0) - services.clock.now().getTime();
  if (now?.status === 'running' && waitMs > 0) services.pass(waitMs / 1000 + 0.001);
  return now?.status === 'completed';
}

describe.each<CopyPlatform>(['network-a', 'network-c'])('copies of %s', (platform) => {
  it(
    'are whole and without a double, wherever processes die and answers are lost',
    { timeout: 1_800_000 },
    async () => {
      const deaths = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(tree, deaths, fc.array(failure, { maxLength: 4 }), async (source, lives, faults) => {
          const user = await makeCopyUser(fixture, platform);
          const campaignId = await plant(fixture, user, source);
          for (const { fault, skip } of faults) {
            const match = { method: 'POST', path: 'copies$|create/$|/\\d+$|status/update/$' };
            await control(fixture.sandbox, 'faults', { platform, fault, match, skip, times: 1, token: user.token });
          }
          const id = newId();
          const input = DuplicateCampaignInput.parse({ campaignId, platform, statusOption: 'INHERITED_FROM_SOURCE' });
          let isDone = false;
          for (const moments of lives) isDone ||= await live(user, input, { id, moments });
          for (let runs = 0; runs < 40 && !isDone; runs += 1) {
            isDone = await live(user, input, { id, moments: Number.POSITIVE_INFINITY });
          }
          await fetch(`${fixture.sandbox.url}/control/faults`, { method: 'DELETE' });
          const doc = await fixture.services.db.duplications.findOne({ _id: id }).lean();
          expect(doc).toMatchObject({ status: 'completed', error: null });
          expect((await named(fixture, user)).map(shapeOf)).toEqual([shapeOf(source), shapeOf(source)]);
          const steps = await stepsOf(fixture.services, doc ?? { _id: id });
          expect(new Set(steps.map(({ state }) => state))).toEqual(new Set(['done']));
        }),
        { numRuns },
      );
    },
  );
});
