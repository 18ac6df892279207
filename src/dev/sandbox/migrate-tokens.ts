import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { scopesOf } from './oauth/scopes.ts';
import type { Token } from './oauth/tokens.ts';

type Former = Partial<Token> & { userId?: string; pageId?: string; isDead?: boolean };

interface Line {
  c: string;
  id: string;
  v: Former;
}

const platforms: Record<string, string> = { a: 'network-a', b: 'search-display', ephemeral: 'ephemeral-messaging' };

/** Rewrites the tokens of all simulators in the form of the shared authorization server; each had its own before. */
export function migrateTokens(path: string): void {
  if (!existsSync(path)) return;
  const lines = readFileSync(path, 'utf8').split('\n');
  const moved = lines.map((line) => (/^\{"c":"[^"]+okens"/.test(line) ? JSON.stringify(migrated(parsed(line))) : line));
  writeFileSync(`${path}.new`, moved.join('\n'), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

const parsed = (line: string): Line => JSON.parse(line) as Line;

function migrated({ c, id, v }: Line): object {
  const [, prefix = '', list = ''] = /^(.+)\.(.+)$/.exec(c) ?? [];
  if (list === 'requestTokens') return { c, id, v };
  const { userId, isDead, expiresAt, ...rest } = v;
  const token = {
    ...rest,
    personId: v.personId ?? userId,
    kind: kindOf(prefix, list, v),
    state: isDead ? 'invalid' : (v.state ?? 'good'),
    scopes: v.scopes ?? scopesOf(platforms[prefix] ?? prefix),
    // C counted in seconds.
    expiresAt: expiresAt !== undefined && prefix === 'pin-board' ? expiresAt * 1000 : expiresAt,
  };
  return { c: `${prefix}.tokens`, id, v: token };
}

function kindOf(prefix: string, list: string, { kind, pageId }: Former): string {
  if (list !== 'tokens') return 'refresh';
  if (prefix === 'a') return pageId === undefined ? 'long' : 'page';
  return kind === undefined || kind === 'bearer' ? 'access' : kind;
}
