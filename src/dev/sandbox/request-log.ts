export interface Entry {
  no: number;
  at: string;
  platform: string;
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
  status: number;
  answer: unknown;
}

export interface Ledger {
  add: (entry: Omit<Entry, 'no'>) => void;
  list: (filter: { platform?: string; since?: number; path?: string }) => Entry[];
  clear: () => void;
}

const kept = 5_000;
/** Stored items per response; a page of a thousand would exhaust the memory. */
const longestAnswer = 100;
/** Stored nesting levels of a body; deeper ones could exhaust the stack. */
const deepest = 100;
const secretNames =
  /^(access_token|refresh_token|input_token|appsecret_proof|client_secret|secret|auth_code|code_verifier|fb_exchange_token|accessToken|refreshToken|oauth_token_secret|token|source|bytes|image_file|video_file)$/;
/** Secret only if the value is long: responses use these names for other values too. */
const longOnly = /^(code|data)$/;

/** Log of received requests, newest last, without secrets. */
export function createLedger(): Ledger {
  let entries: Entry[] = [];
  let no = 0;
  return {
    add(entry) {
      no += 1;
      entries.push({
        ...entry,
        no,
        query: hide(entry.query) as Entry['query'],
        body: hide(entry.body),
        answer: hide(entry.answer, longestAnswer),
      });
      if (entries.length > kept * 1.2) entries = entries.slice(-kept);
    },
    list: ({ platform, since = 0, path }) =>
      entries.filter(
        (entry) =>
          entry.no > since && (!platform || entry.platform === platform) && (!path || entry.path.includes(path)),
      ),
    clear: () => void (entries = []),
  };
}

function hide(value: unknown, longest = Number.POSITIVE_INFINITY, depth = 0): unknown {
  if (depth > deepest && value !== null && typeof value === 'object') return '...';
  if (Array.isArray(value)) {
    const shown = value.slice(0, longest).map((item) => hide(item, longest, depth + 1));
    return value.length > longest ? [...shown, `and ${value.length - longest} more`] : shown;
  }
  if (typeof value === 'string') return value.replace(/\b(oauth_token_secret)=[^&\s]+/g, '$1=[hidden]');
  if (value === null || typeof value !== 'object') return value;
  const pairs = Object.entries(value);
  const isHidden = (name: string, member: unknown): boolean =>
    secretNames.test(name) || (longOnly.test(name) && typeof member === 'string' && member.length > 24);
  return Object.fromEntries(
    pairs.map(([name, member]) => [name, isHidden(name, member) ? '[hidden]' : hide(member, longest, depth + 1)]),
  );
}
