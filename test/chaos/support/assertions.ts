import { kinds, type Arrival, type ChaosReceiver } from './receivers.ts';

/** A write that the API accepted, and the receivers that have to hear of it. */
export interface Written {
  entityId: string;
  startedAt: number;
  answeredAt: number;
  user: number;
}

export interface Hook {
  receiver: ChaosReceiver;
  webhookId: string;
  user: number;
}

export interface InjectedFailures {
  workerKills: number;
  apiKills: number;
  flushes: number;
  flushedAt: number[];
  redisRestarts: number;
  storeRestarts: number;
}

export interface Facts extends InjectedFailures {
  seed: number;
  seconds: number;
  processes: number;
  written: Written[];
  /** Writes without an answer: they may have happened or not. */
  unanswered: number;
  crashes: string[];
  redirectsFollowed: number;
  /** Deliveries that ought to be there and are not, of receivers that cannot receive. */
  missingRows: number;
  /** Deliveries to able receivers that are not over. */
  unfinished: number;
  /** Requests that were open at the receivers when a worker or the store was killed. */
  openAtKills: number;
  drainSeconds: number;
  /** Classes of the attempts before a repeat. */
  repeatedAfter: Record<string, number>;
}

export interface Evaluation extends Omit<Facts, 'written' | 'flushedAt'> {
  writes: number;
  deliveries: number;
  lost: number;
  /** Of each kind of receiver, where any are. */
  lostAt: Record<string, number>;
  duplicates: number;
  duplicatesAllowed: number;
  cutOff: number;
  outOfOrder: number;
  badSignatures: number;
  longestWaitMs: number;
  /** How long after a flush everything from before it had come, and what came first of the new. */
  resumedMs: number;
  breaches: string[];
}

/** What a worker may have under way: the bound of what one kill can repeat. */
const inFlight = 50;

export function evaluate(facts: Facts, hooks: Hook[]): Evaluation {
  const { written, flushedAt, ...plain } = facts;
  const able = hooks.filter(({ receiver }) => kinds[receiver.kind].isAble);
  const writtenFor = (hook: Hook): Written[] => written.filter(({ user }) => user === hook.user);
  const total = (count: (hook: Hook) => number): number => able.reduce((sum, hook) => sum + count(hook), 0);
  const { workerKills, storeRestarts, processes } = facts;
  const figures = {
    writes: written.length,
    deliveries: total(({ receiver }) => accepted(receiver).length),
    lost: total((hook) => lostOf(hook, writtenFor(hook))),
    lostAt: Object.fromEntries(
      able
        .map((hook) => [hook.receiver.kind, lostOf(hook, writtenFor(hook))] as const)
        .filter(([, count]) => count > 0),
    ),
    duplicates: total(({ receiver }) => accepted(receiver).length - new Set(accepted(receiver).map(eventOf)).size),
    duplicatesAllowed: inFlight * (workerKills + storeRestarts * processes),
    cutOff: total(({ receiver: { arrivals, kind } }) =>
      kind === 'slow' ? arrivals.filter(({ isAccepted }) => !isAccepted).length : 0,
    ),
    outOfOrder: total((hook) => (hook.receiver.kind.startsWith('strict') ? outOfOrder(hook, writtenFor(hook)) : 0)),
    badSignatures: hooks.reduce((sum, { receiver }) => sum + receiver.badSignatures(), 0),
    resumedMs: Math.max(0, ...able.flatMap((hook) => flushedAt.map((at) => resumedAfter(at, hook, writtenFor(hook))))),
    longestWaitMs: Math.max(0, ...able.map((hook) => longestWait(hook, writtenFor(hook)))),
  };
  const evaluation = { ...plain, ...figures };
  return { ...evaluation, breaches: breachesOf(evaluation) };
}

const eventOf = ({ eventId }: Arrival): string => eventId;
const accepted = ({ arrivals }: ChaosReceiver): Arrival[] => arrivals.filter(({ isAccepted }) => isAccepted);
const firsts = ({ receiver }: Hook): Map<string, Arrival> =>
  new Map(
    accepted(receiver)
      .toReversed()
      .map((arrival) => [arrival.entityId, arrival]),
  );

function lostOf(hook: Hook, expected: Written[]): number {
  const arrived = firsts(hook);
  return expected.filter(({ entityId }) => !arrived.has(entityId)).length;
}

/** From the answer of the API to the first arrival, where the receiver was never at fault. */
function longestWait(hook: Hook, expected: Written[]): number {
  if (hook.receiver.kind !== 'good') return 0;
  const arrived = firsts(hook);
  return Math.max(0, ...expected.map(({ entityId, answeredAt }) => (arrived.get(entityId)?.at ?? 0) - answeredAt));
}

/** At good receivers: until the last had come that was on its way at a flush, or the first that was written after it. */
function resumedAfter(flushedAt: number, hook: Hook, expected: Written[]): number {
  if (hook.receiver.kind !== 'good') return 0;
  const arrived = firsts(hook);
  const times = expected.map(({ entityId, answeredAt }) => ({ answeredAt, at: arrived.get(entityId)?.at ?? 0 }));
  const before = times.filter(({ answeredAt, at }) => answeredAt <= flushedAt && at > flushedAt).map(({ at }) => at);
  const after = times.filter(({ answeredAt }) => answeredAt > flushedAt).map(({ answeredAt, at }) => at - answeredAt);
  return Math.max(0, ...before.map((at) => at - flushedAt), after[0] ?? 0);
}

/** Arrivals that came before something that had been answered before they were even asked for. */
function outOfOrder(hook: Hook, expected: Written[]): number {
  const known = new Map(expected.map((write) => [write.entityId, write]));
  const order = [...firsts(hook).values()]
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ entityId }) => known.get(entityId) ?? []);
  let earliest = Number.POSITIVE_INFINITY;
  let count = 0;
  for (const { startedAt, answeredAt } of order.toReversed()) {
    if (earliest < startedAt) count += 1;
    earliest = Math.min(earliest, answeredAt);
  }
  return count;
}

/** The goals that a run covers, as `npm run bench` prints them. */
export function goalsOf(evaluation: Evaluation): string[] {
  const { lost, outOfOrder, duplicates, duplicatesAllowed, deliveries, writes, flushes, resumedMs } = evaluation;
  const share = deliveries > 0 ? (100 * duplicates) / deliveries : 0;
  const isReserved = lost + outOfOrder === 0 && duplicates <= duplicatesAllowed && share <= 1;
  const size = writes < 10_000 ? ' at this size' : '';
  return [
    `G1 | ${writes} events, ${deliveries} deliveries under ${evaluation.workerKills + evaluation.apiKills} kills | ${lost} lost, ${outOfOrder} out of order, ${duplicates} repeated (${share.toFixed(2)} %) | aim 0, 0, ${duplicatesAllowed} and 1 % | ${isReserved ? 'met' : 'MISSED'}${size}`,
    `G2 | ${flushes} flushes of Redis among them | ${lost} lost, resumed in ${(resumedMs / 1000).toFixed(1)} s | aim 0, 30 s | ${lost === 0 && resumedMs <= 30_000 ? 'met' : 'MISSED'}${size}`,
    `G4 | ${evaluation.storeRestarts} kills of the store among them | ${lost} lost, ${evaluation.crashes.length} processes ended by themselves | aim 0, 0 | ${evaluation.storeRestarts > 0 && lost + evaluation.crashes.length === 0 ? 'met' : 'MISSED'}${size}`,
  ];
}

type Figures = Omit<Evaluation, 'breaches'>;

const never = ['lost', 'outOfOrder', 'badSignatures', 'redirectsFollowed', 'missingRows', 'unfinished'] as const;

function breachesOf(figures: Figures): string[] {
  const { duplicates, duplicatesAllowed, deliveries, crashes } = figures;
  // A share means something only of many.
  const isShareBroken = deliveries >= 10_000 && duplicates > deliveries / 100;
  return [
    ...never.filter((name) => figures[name] > 0).map((name) => `${name}: ${figures[name]}, allowed: 0`),
    ...(duplicates > duplicatesAllowed ? [`duplicates: ${duplicates}, allowed: ${duplicatesAllowed}`] : []),
    ...(isShareBroken ? [`duplicates: ${duplicates} of ${deliveries}, allowed: 1 %`] : []),
    ...(figures.writes === 0 ? ['nothing was written'] : []),
    ...crashes.map((crash) => `a process ended by itself: ${crash}`),
  ];
}
