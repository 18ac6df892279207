import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { repeats } from '../support/sample.ts';
import { runSequence, sequences } from './budget-sequences.ts';
import { subjects } from './platforms.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PLATFORM_D_CALLS_PER_SECOND: '1000', PLATFORM_D_APP_CALLS_PER_SECOND: '1000' });
});
afterAll(() => app.stop());

// The same sequences in every run, so that a change and not chance decides; CHAOS_SEED chooses others.
const options = { numRuns: repeats(5, 15), seed: Number(process.env['CHAOS_SEED'] ?? 7) };

describe.each(subjects)('any sequence of budget changes on platform $platform', (subject) => {
  it('is recorded as the platform has it, writes nothing twice and no budget to another level', async () => {
    await fc.assert(
      fc.asyncProperty(sequences(subject), (sequence) => runSequence(app, subject, sequence)),
      options,
    );
  });
});
