import { randomBytes } from 'node:crypto';
import { createUpstream } from '../../platforms/http.ts';
import type { Check, Scene, Side, Step } from './check.ts';
import { compare, type Answered, type RequestDifference } from './compare.ts';
import { joined } from './dialect.ts';
import { dialects } from './dialects.ts';
import { startRecorder, type Exchange, type Recorder } from './record.ts';

export interface Outcome {
  check: Check;
  result: 'same' | 'differs' | 'failed' | 'skipped';
  /** Why it was skipped or failed. */
  reason?: string;
  differences: RequestDifference[];
  platform: Answered[];
  sandbox: Answered[];
}

interface Options {
  checks: Check[];
  live: Side;
  sandbox: Side;
  /** Permits checks that write. */
  mayWrite: boolean;
  signal: AbortSignal;
  onOutcome: (outcome: Outcome) => void;
}

/** Runs the checks one after the other; returns also what could not be removed from the platform. */
export async function runChecks(options: Options): Promise<{ outcomes: Outcome[]; left: string[] }> {
  const recorder = startRecorder();
  const [outcomes, left]: [Outcome[], string[]] = [[], []];
  try {
    for (const check of options.checks) {
      if (options.signal.aborted) break;
      const outcome = await outcomeOf(check, options, { recorder, left });
      outcomes.push(outcome);
      options.onOutcome(outcome);
    }
  } finally {
    await recorder.stop();
  }
  return { outcomes, left };
}

interface Tools {
  recorder: Recorder;
  left: string[];
}

async function outcomeOf(check: Check, options: Options, { recorder, left }: Tools): Promise<Outcome> {
  const { live, sandbox, mayWrite, signal } = options;
  const bare = { check, differences: [], platform: [], sandbox: [] };
  if (check.kind === 'write' && !mayWrite) return { ...bare, result: 'skipped', reason: 'writes: add --yes' };
  const missing = (check.needs ?? []).filter((name) => !live.given[name]);
  if (missing.length > 0) return { ...bare, result: 'skipped', reason: `set ${missing.join(' and ')}` };
  const expected = await answersOf(check, sandbox, { recorder, left: [], signal });
  const actual = await answersOf(check, live, { recorder, left, signal });
  const both = { check, platform: actual.answers, sandbox: expected.answers };
  const differences = compare(actual.answers, expected.answers, dialects[live.platform], check);
  if (actual.error) return failed(both, actual.error, differences);
  if (expected.error) return failed(both, `the sandbox: ${expected.error}`, differences);
  const last = expected.answers.at(-1);
  const isRefused = last?.exchanges.some((exchange) => dialects[live.platform].refusal(exchange)) === true;
  if (isRefused !== (check.isRefused ?? false))
    return failed(both, `the sandbox has changed: the request is ${isRefused ? 'refused' : 'accepted'}`, differences);
  return { ...both, result: differences.length > 0 ? 'differs' : 'same', differences };
}

const failed = (
  parts: Omit<Outcome, 'result' | 'differences'>,
  reason: string,
  differences: RequestDifference[],
): Outcome => ({
  ...parts,
  result: 'failed',
  reason,
  differences,
});

interface Answers {
  answers: Answered[];
  error?: string;
}

async function answersOf(check: Check, side: Side, tools: Tools & { signal: AbortSignal }): Promise<Answers> {
  const { run } = check;
  const { recorder } = tools;
  if (Array.isArray(run)) return stepsOf({ ...check, run }, side, tools);
  const { exchanges, error } = await recorder.during(() => run(side, recorder.quietly));
  return { answers: grouped(exchanges, side), ...(error !== undefined && { error: messageOf(error) }) };
}

/** Exchanges of one kind of request, such as the pages of a list, count as one answer. */
function grouped(exchanges: Exchange[], side: Side): Answered[] {
  const answers = new Map<string, Answered>();
  for (const exchange of exchanges) {
    const request = `${exchange.method} ${templateOf(exchange.url, side)}`;
    const known = answers.get(request) ?? { request, exchanges: [] };
    answers.set(request, { request, exchanges: [...known.exchanges, exchange] });
  }
  return [...answers.values()];
}

interface Made {
  kind: string;
  id: string;
}

/** Sends the requests of a check and removes what they created, also if one of them fails. */
async function stepsOf(
  { id, run }: Check & { run: Extract<Check['run'], unknown[]> },
  side: Side,
  { recorder, left, signal }: Tools & { signal: AbortSignal },
): Promise<Answers> {
  const scene: Scene = { ...side, name: `verify ${id} ${randomBytes(3).toString('hex')}`, ids: {} };
  const dialect = dialects[side.platform];
  const made: Made[] = [];
  const answers: Answered[] = [];
  try {
    for (const makeStep of run) {
      if (signal.aborted) throw new Error('stopped');
      const step = makeStep(scene);
      const exchange = await send(scene, step, recorder).catch((error: unknown) => {
        if (step.makes) left.push(doubt(scene, step, messageOf(error)));
        throw error;
      });
      if (step.makes && exchange.status >= 500) left.push(doubt(scene, step, `status ${exchange.status}`));
      note(scene, step, { exchange, made });
      const refusal = dialect.refusal(exchange);
      if (step.isSetup && refusal) throw new Error(`preparing the check was refused: ${refusal.code} ${refusal.text}`);
      if (!step.isSetup) answers.push({ request: labelOf(exchange, side, answers.length + 1), exchanges: [exchange] });
    }
    return { answers };
  } catch (error) {
    return { answers, error: messageOf(error) };
  } finally {
    for (const object of made.toReversed()) left.push(...(await remove(scene, object, recorder)));
  }
}

/** A write whose outcome is unknown. */
const doubt = ({ name }: Scene, { makes }: Step, why: string): string =>
  `perhaps an object named "${name}" (${makes}): ${why}`;

const labelOf = ({ method, url }: Exchange, side: Side, number: number): string =>
  `request ${number}, ${method} ${templateOf(url, side)}`;

async function send(scene: Scene, step: Step, recorder: Recorder): Promise<Exchange> {
  const { config, platform } = scene;
  const upstream = createUpstream({ platform, baseUrl: config[platform].baseUrl, timeoutMs: 60_000 });
  const { exchanges, error } = await recorder.during(() => upstream.call(dialects[platform].call(scene, step)));
  const last = exchanges.at(-1);
  if (error !== undefined) throw error;
  if (!last) throw new Error('nothing was sent');
  return last;
}

/** Remembers the ids in an answer, and what must be removed. */
function note({ ids, platform }: Scene, step: Step, { exchange, made }: { exchange: Exchange; made: Made[] }): void {
  const dialect = dialects[platform];
  if (step.removes && !dialect.refusal(exchange)) {
    const at = made.findIndex(({ id }) => id === ids[step.removes ?? '']);
    if (at >= 0) made.splice(at, 1);
  }
  made.push(...(step.alsoMakes?.(exchange.body) ?? []));
  const id = step.idIn ? step.idIn(exchange.body) : dialect.idIn(exchange.body, exchange.headers);
  if (id === undefined) return;
  if (step.keeps) ids[step.keeps] = id;
  if (step.makes) made.push({ kind: step.makes, id });
}

/** Returns what could not be removed, in words. */
async function remove(scene: Scene, { kind, id }: Made, recorder: Recorder): Promise<string[]> {
  const dialect = dialects[scene.platform];
  try {
    const refusal = dialect.refusal(await send(scene, dialect.removal(scene, kind, id), recorder));
    const isGone = !refusal || dialect.isGone.test(`${refusal.code} ${refusal.text}`);
    return isGone
      ? []
      : [`${kind} ${id} ("${scene.name}"): ${joined(refusal.code, refusal.text) || 'no reason given'}`];
  } catch (error) {
    return [`${kind} ${id} ("${scene.name}"): ${messageOf(error)}`];
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const collections = /^(accounts|campaigns|line_items)$/;

/** The path of a request without its base and ids, so that both sides have the same. */
function templateOf(url: string, { config, platform, adAccount }: Side): string {
  const base = new URL(config[platform].baseUrl).pathname.replace(/\/$/, '');
  const segments = new URL(url).pathname.replace(base, '').split('/').slice(1);
  const isId = (segment: string, index: number): boolean =>
    segment === adAccount.id ||
    /\d{4}|^act_|%3A/i.test(segment) ||
    (platform === 'E' && collections.test(segments[index - 1] ?? ''));
  return segments.map((segment, index) => (isId(segment, index) ? '*' : segment)).join('/');
}
