import type { Thing, World } from './state.ts';

interface Found {
  question: string;
  version: number;
  until: number;
  things: readonly Thing[];
}

/** Statuses change over time, but not within this period. */
const life = 1000;
const most = 100;
const known = new WeakMap<World, Map<string, Found>>();

interface Question {
  advertiserId: string;
  /** One query per kind is cached. */
  kind: string;
  question: string;
}

/** All pages of a listing use one search until the advertiser is written to. */
export function remembered(
  world: World,
  { advertiserId, kind, question }: Question,
  search: () => readonly Thing[],
): readonly Thing[] {
  const answers = known.get(world) ?? new Map<string, Found>();
  known.set(world, answers);
  const key = `${kind} ${advertiserId}`;
  const version = world.version(advertiserId);
  const last = answers.get(key);
  if (last?.question === question && last.version === version && last.until > Date.now()) return last.things;
  if (answers.size >= most) answers.clear();
  const things = search();
  answers.set(key, { question, version, until: Date.now() + life, things });
  return things;
}
