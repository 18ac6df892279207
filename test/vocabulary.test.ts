import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Words that the project no longer uses, and the field's standard terms. */
const retired: Record<string, string> = {
  afresh: 'again',
  anew: 'again',
  announce: 'publish',
  announced: 'published',
  announcement: 'outbox event',
  announcer: 'outbox document',
  announces: 'publishes',
  announcing: 'publishing',
  aside: 'ignored, parked, quarantined',
  blame: 'name the rejected field',
  blamed: 'rejected',
  blames: 'rejects',
  breed: 'kind',
  caretaker: 'cleanup',
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
  hasty: 'with a short timeout',
  hearsay: 'unverified input',
  hence: 'from now',
  hopeless: 'non-retryable',
  insist: 'retry',
  insists: 'retries',
  jostled: 'rate-limited',
  judge: 'check, evaluate',
  judged: 'checked',
  judges: 'checks',
  ladder: 'retry schedule',
  ladders: 'retry schedules',
  lawful: 'valid',
  leftover: 'partial order',
  leftovers: 'partial orders',
  liveliest: 'most active',
  mends: 'fixes',
  nobody: 'no one, or the passive voice',
  nought: 'zero',
  nudge: 'wake',
  nudged: 'woken',
  nudges: 'wakes',
  patience: 'timeout, maximum wait',
  patient: 'without timeouts',
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
  settle: 'reconcile, finish',
  settled: 'reconciled, finished',
  settler: 'reconciler',
  settles: 'reconciles',
  settling: 'reconciling',
  slips: 'typing errors',
  somebody: 'another user, another process',
  spare: 'open the circuit',
  spared: 'circuit open',
  spares: 'opens the circuit',
  sparing: 'open circuit',
  speaker: 'identity',
  speaking: 'publishing',
  speaks: 'implements, uses',
  spoilt: 'invalid',
  standing: 'status',
  steer: 'update, set the status',
  steered: 'updated',
  steering: 'update',
  steers: 'updates',
  streak: 'failure count',
  streaks: 'failure counts',
  strike: 'counted failure; inject a fault',
  strikes: 'counted failures',
  striking: 'injecting',
  struck: 'faulty',
  tell: 'publish, report, distinguish',
  teller: 'exporter',
  tells: 'publishes, reports, distinguishes',
  thence: 'from there',
  till: 'until',
  told: 'published, reported',
  trouble: 'error, failure',
  troubles: 'errors, failures',
  unsettled: 'unfinished',
  vain: 'without result',
  verdict: 'result',
  verdicts: 'results',
  wanted: 'requested, expected',
  whence: 'from where',
  whoever: 'a client that',
  wish: 'request',
  wishes: 'requests',
  withdrawal: 'removal from the outbox',
  world: 'fixture, state',
  worlds: 'fixtures',
};

/** Generated files, recorded history, former field names and this table. */
const exempt = /^(docs\/openapi\.json|docs\/changelog\.md|src\/models\/migrations\/.*|test\/vocabulary\.test\.ts)$/;

/** Names that others gave. */
const foreign = [
  // Meta's error member and account states.
  /blame_field_specs|UNSETTLED|PENDING_SETTLEMENT/g,
  // JavaScript.
  /allSettled|PromiseSettledResult/g,
];

/** Phrases whose words are fine one by one. */
const phrases = [
  { said: /\bswitch(?:es|ed|ing)?\s+(?:on|off)\b/i, write: 'activate, pause, enable or disable' },
  { said: /\bour own\b/i, write: 'the service, this project' },
  { said: /\bkeeps?\s+house\b/i, write: 'clean up' },
];

const wordsOf = (text: string): string[] =>
  (text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());

it('uses no retired word in file names, code, comments, tests and docs', () => {
  const listed = execFileSync('git', ['ls-files', 'src', 'test', 'docs', 'README.md', 'CONTRIBUTING.md']);
  const files = listed
    .toString()
    .split('\n')
    .filter((file) => /\.(ts|mjs|mts|md)$/.test(file) && !exempt.test(file));
  const found = files.flatMap((file) => {
    const text = foreign.reduce((all, name) => all.replaceAll(name, ''), `${file} ${readFileSync(file, 'utf8')}`);
    const words = [...new Set(wordsOf(text))].filter((word) => Object.hasOwn(retired, word));
    return [
      ...words.map((word) => `${file}: "${word}", write "${retired[word]}"`),
      ...phrases.flatMap(({ said, write }) => (said.test(text) ? [`${file}: ${said.source}, write "${write}"`] : [])),
    ];
  });
  expect(files.length).toBeGreaterThan(500);
  expect(found).toEqual([]);
});
