import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Words that the project no longer uses, and the field's standard terms. */
const retired: Record<string, string> = {
  afresh: 'again',
  announcement: 'outbox event',
  announcer: 'outbox document',
  breed: 'kind',
  carriers: 'inFlight',
  clothed: 'embedded address',
  clothes: 'embedding prefix',
  desk: 'fixture',
  desks: 'fixtures',
  door: 'API',
  doors: 'APIs',
  forthwith: 'immediately',
  gate: 'rate limiter',
  gates: 'rate limiters',
  gravest: 'most severe',
  guest: 'connect caller',
  hearsay: 'unverified input',
  hence: 'from now',
  hopeless: 'non-retryable',
  insist: 'retry',
  insists: 'retries',
  jostled: 'rate-limited',
  ladder: 'retry schedule',
  ladders: 'retry schedules',
  lawful: 'valid',
  leftover: 'partial order',
  leftovers: 'partial orders',
  liveliest: 'most active',
  mends: 'fixes',
  nought: 'zero',
  nudge: 'wake',
  nudged: 'woken',
  nudges: 'wakes',
  patiently: 'poll',
  peel: 'unwrap',
  peeled: 'unwrapped',
  rehearsal: 'dry run',
  rehearse: 'dry run',
  rehearses: 'validates',
  remake: 'repair',
  reseal: 're-encrypt',
  seal: 'encrypt',
  sealed: 'encrypted',
  seals: 'encrypts',
  settler: 'reconciler',
  settles: 'reconciles',
  settling: 'reconciling',
  slips: 'typing errors',
  spare: 'open the circuit',
  spared: 'circuit open',
  spares: 'opens the circuit',
  sparing: 'open circuit',
  spoilt: 'invalid',
  steers: 'updates',
  streak: 'failure count',
  streaks: 'failure counts',
  teller: 'exporter',
  thence: 'from there',
  till: 'until',
  vain: 'without result',
  whence: 'from where',
  withdrawal: 'removal from the outbox',
  world: 'fixture, state',
  worlds: 'fixtures',
};

/** Generated files, recorded history, former field names and this table. */
const exempt = /^(docs\/openapi\.json|docs\/changelog\.md|src\/models\/migrations\/.*|test\/vocabulary\.test\.ts)$/;

const wordsOf = (text: string): string[] =>
  (text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());

it('uses no retired word in file names, code, comments, tests and docs', () => {
  const listed = execFileSync('git', ['ls-files', 'src', 'test', 'docs', 'README.md', 'CONTRIBUTING.md']);
  const files = listed
    .toString()
    .split('\n')
    .filter((file) => /\.(ts|mjs|mts|md)$/.test(file) && !exempt.test(file));
  const found = files.flatMap((file) =>
    [...new Set(wordsOf(`${file} ${readFileSync(file, 'utf8')}`))]
      .filter((word) => Object.hasOwn(retired, word))
      .map((word) => `${file}: "${word}", write "${retired[word]}"`),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});
