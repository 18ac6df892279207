import type { Check, Side } from './check.ts';
import { summaryOf, type Answered } from './compare.ts';
import { dialects } from './dialects.ts';
import type { Outcome } from './run.ts';

const costs: Record<Check['kind'], string> = {
  read: 'only reads',
  validate: 'validates, creates nothing',
  write: 'writes: paused objects that are removed again; needs --yes',
};

export function describe({ id, question, doubt, kind, isRefused, needs = [], run }: Check): string {
  const calls = Array.isArray(run) ? `${run.length} ${run.length === 1 ? 'call' : 'calls'}` : 'a few calls';
  const lines = [
    `${id}: ${question}`,
    `  why: ${doubt}`,
    `  cost: ${calls}, ${costs[kind]}`,
    `  sandbox: ${isRefused ? 'refused' : 'accepted'}`,
    ...(needs.length > 0 ? [`  needs: ${needs.join(', ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

export function blockOf({ check, result, reason, differences }: Outcome): string {
  const lines = differences.map(
    ({ request, where, platform, sandbox }) => `    ${request}: ${where}: platform ${platform}; sandbox ${sandbox}`,
  );
  const head = `${result.padEnd(8)} ${check.id}: ${check.question}${reason ? ` (${reason})` : ''}`;
  return `${[head, ...lines].join('\n')}\n`;
}

export function totalOf(outcomes: Outcome[]): string {
  const counts = (['same', 'differs', 'failed', 'skipped'] as const).map(
    (result) => `${outcomes.filter((outcome) => outcome.result === result).length} ${result}`,
  );
  return `${outcomes.length} checks: ${counts.join(', ')}\n`;
}

/** For an issue: no secrets, no ids, and of the answers only what can be compared. */
export const reportOf = (live: Side, outcomes: Outcome[]): object => ({
  platform: live.platform,
  version: live.config[live.platform].version,
  date: new Date().toISOString().slice(0, 10),
  checks: outcomes.map(({ check, result, reason, differences, platform, sandbox }) => ({
    id: check.id,
    question: check.question,
    doubt: check.doubt,
    kind: check.kind,
    result,
    reason,
    differences,
    platform: platform.map((answered) => answerOf(answered, live, check)),
    sandbox: sandbox.map((answered) => answerOf(answered, live, check)),
  })),
});

function answerOf(answered: Answered, { platform }: Side, check: Check): object {
  const { status, refusal, headers, shape, values } = summaryOf(answered, dialects[platform], check);
  const types = Object.fromEntries([...shape].map(([path, names]) => [path, [...names].join(' or ')]));
  return { request: answered.request, status, refusal, headers, shape: types, ...(values.length > 0 && { values }) };
}

/** Removes secrets, and ids unless requested, from text that leaves the program. */
export function createRedaction(secrets: (string | undefined)[], ids: string[]): (text: string) => string {
  const all = [...new Set([...secrets, ...ids])].filter((text) => text !== undefined && text.length > 3) as string[];
  // Longer ones first: one may contain another.
  const known = all.toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((rest, one) => rest.replaceAll(one, '[hidden]'), text);
}

/** Numbers that are long enough to be ids. */
export const hideIds = (text: string): string => text.replaceAll(/(?<![\w.])(act_)?\d{9,}(?![\w.])/g, '[id]');
