import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createSpool } from '../../src/lib/spool.ts';

const folder = mkdtempSync(join(tmpdir(), 'spool-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('keeps bytes on disk, without a name that could outlive the process, and reads any range of them', async () => {
  const file = await createSpool(folder).create();
  for (const text of ['abc', '', 'defgh']) await file.append(Buffer.from(text));
  expect([file.size, readdirSync(folder)]).toEqual([8, []]);
  expect((await file.read(2, 4)).toString()).toBe('cde');
  expect((await file.read(0, 100)).toString()).toBe('abcdefgh');
  expect((await file.read(7, 7)).toString()).toBe('h');
  expect((await file.read(8, 9)).toString()).toBe('');
  await file.close();
});

it('removes on start what a crash left behind, and nothing that is not its own', () => {
  writeFileSync(join(folder, 'upload-65a0c0de0123456789abcdef'), 'x');
  writeFileSync(join(folder, 'accounts.db'), 'x');
  mkdirSync(join(folder, 'mail'));
  writeFileSync(join(folder, 'mail', 'inbox'), 'x');
  createSpool(folder);
  expect(readdirSync(folder).toSorted()).toEqual(['accounts.db', 'mail']);
  expect(readdirSync(join(folder, 'mail'))).toEqual(['inbox']);
});
