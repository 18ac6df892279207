/** A key and its id. */
export interface EncryptionKey {
  id: string;
  key: Buffer;
}

export const keyForm = 'id:base64 of 32 random bytes, several separated by commas';
const entryForm = /^([\w-]{1,32}):([A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/;

function parseEntry(entry: string): EncryptionKey | undefined {
  const [, id, text] = entryForm.exec(entry) ?? [];
  return id && text ? { id, key: Buffer.from(text, 'base64') } : undefined;
}

/** What is wrong with a list of keys, without revealing a key; undefined if it is valid. */
export function keyProblem(entries: string[]): string | undefined {
  const keys = entries.flatMap((entry) => parseEntry(entry) ?? []);
  if (keys.length === 0 || keys.length < entries.length) return `must be ${keyForm}`;
  for (const [at, one] of keys.entries()) {
    const earlier = keys.slice(0, at);
    if (earlier.some(({ id }) => id === one.id)) {
      return `names the key id ${one.id} twice; give each key its own id, such as k20271231`;
    }
    const same = earlier.find(({ key }) => key.equals(one.key));
    if (same) return `contains the same key under the ids ${same.id} and ${one.id}; remove one of them`;
  }
  return undefined;
}

/** Parses a list of keys and keeps its order. */
export function parseKeys(entries: string[]): EncryptionKey[] {
  const problem = keyProblem(entries);
  if (problem) throw new Error(`ENCRYPTION_KEYS ${problem}`);
  return entries.flatMap((entry) => parseEntry(entry) ?? []);
}
