import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { givenKeys } from '../config/config.ts';
import { writePrivate } from './data-dir-lock.ts';

/** The configured encryption keys, or a generated one that is kept, because stored tokens need it. */
export function encryptionKeys(dataDir: string): string {
  const given = givenKeys(process.env);
  if (given) return given;
  const path = join(dataDir, 'encryption-keys');
  if (!existsSync(path)) writePrivate(path, `local:${randomBytes(32).toString('base64')}\n`);
  return readFileSync(path, 'utf8').trim();
}
