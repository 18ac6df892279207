import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from './data-dir-lock.ts';
import { migrateTokens } from './sandbox/migrate-tokens.ts';

/** Version 2 renamed `sealing-keys` to `encryption-keys`; 3 gave the tokens of all sandboxes one form. */
const currentVersion = 3;

const pathOf = (dataDir: string): string => join(dataDir, 'format-version');

function versionOf(dataDir: string): number | undefined {
  if (existsSync(pathOf(dataDir))) return Number(readFileSync(pathOf(dataDir), 'utf8'));
  return existsSync(join(dataDir, 'store')) ? 1 : undefined;
}

/** Brings a data folder to the layout of this release; rejects one that a newer release wrote. Needs the folder's lock. */
export function migrateDataDir(dataDir: string): void {
  const version = versionOf(dataDir);
  if (version === currentVersion) return;
  if (version !== undefined && !(version < currentVersion)) {
    throw new Error(
      `The data folder ${dataDir} has format ${version}, which a newer release wrote; this release supports up to ` +
        `${currentVersion}. Run the newer release, or set DATA_DIR to another folder.`,
    );
  }
  const former = join(dataDir, 'sealing-keys');
  if (existsSync(former)) renameSync(former, join(dataDir, 'encryption-keys'));
  migrateTokens(join(dataDir, 'sandbox', 'sandbox.jsonl'));
  writePrivate(pathOf(dataDir), `${currentVersion}\n`);
}
