import type { Thing, SandboxState } from './state.ts';

interface Found {
  question: string;
  version: number;
  until: number;
  things: readonly Thing[];
}

/** Statuses change over time, but not within this period. */
const life = 1000;
const most = 100;
const known = new WeakMap<SandboxState, Map<string, Found>>();

interface Question {
  advertiserId: string;
  /** One query per kind is cached. */
  kind: string;
  question: string;
}

/** All pages of a listing use one search until the advertiser is written to. */
export function remembered(
  sandbox: SandboxState,
  { advertiserId, kind, question }: Question,
  search: () => readonly Thing[],
): readonly Thing[] {
  const answers = known.get(sandbox) ?? new Map<string, Found>();
  known.set(sandbox, answers);
  const key = `${kind} ${advertiserId}`;
  const version = sandbox.version(advertiserId);
  const last = answers.get(key);
  if (last?.question === question && last.version === version && last.until > Date.now()) return last.things;
  if (answers.size >= most) answers.clear();
  const things = search();
  answers.set(key, { question, version, until: Date.now() + life, things });
  return things;
}
