import { expect, it } from 'vitest';
import { runRestore } from './restore.ts';

it('creates nothing twice when callers repeat all their orders after a backup was restored', async () => {
  const report = await runRestore();
  expect(report.wrong).toEqual([]);
  expect(report).toMatchObject({ keys: 24 });
  expect(report.forgotten).toBeGreaterThanOrEqual(12);
  expect(report.forgotten).toBeLessThan(24);
});
