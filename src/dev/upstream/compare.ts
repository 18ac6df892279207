import type { Check } from './check.ts';
import type { Dialect, Refusal } from './dialect.ts';
import type { Exchange } from './record.ts';
import { compareShapes, shapeOf, valuesOf, type Difference } from './shape.ts';

/** One kind of request and its answers. */
export interface Answered {
  request: string;
  exchanges: Exchange[];
}

export interface RequestDifference extends Difference {
  request: string;
}

export interface Summary {
  status: string;
  refusal?: Refusal;
  /** Names of the headers that matter; with values where those count. */
  headers: string[];
  shape: ReturnType<typeof shapeOf>;
  /** The values of members where those count. */
  values: string[];
}

/** What is compared by its value too. */
type Exact = Pick<Check, 'exactHeaders' | 'exactMembers'>;

export function summaryOf({ exchanges }: Answered, dialect: Dialect, exact: Exact): Summary {
  const { exactHeaders = [], exactMembers = [] } = exact;
  const bodies = exchanges.map(({ body }) => body);
  const names = exchanges.flatMap(({ headers }) =>
    Object.entries(headers)
      .filter(([name]) => dialect.headers.test(name))
      .map(([name, value]) => (exactHeaders.includes(name) ? `${name}: ${String(value)}` : name)),
  );
  return {
    status: distinct(exchanges.map(({ status }) => String(status))).join(' and '),
    refusal: exchanges.map((exchange) => dialect.refusal(exchange)).find((refusal) => refusal !== undefined),
    headers: distinct(names),
    shape: shapeOf(bodies),
    values: distinct(exactMembers.flatMap((name) => valuesOf(bodies, name).map((value) => `${name}: ${value}`))),
  };
}

const distinct = (values: string[]): string[] => [...new Set(values)].toSorted();

/** The differences of all requests that both sides answered. */
export function compare(live: Answered[], sandbox: Answered[], dialect: Dialect, exact: Exact): RequestDifference[] {
  return live.flatMap((answered) => {
    const { request } = answered;
    const other = sandbox.find((one) => one.request === request);
    if (!other) return [];
    const [left, right] = [answered, other].map((one) => summaryOf(one, dialect, exact)) as [Summary, Summary];
    return differencesOf(left, right, dialect).map((difference) => ({ request, ...difference }));
  });
}

function differencesOf(left: Summary, right: Summary, dialect: Dialect): Difference[] {
  const facts: [where: string, (summary: Summary) => string][] = [
    ['status', ({ status }) => status],
    ['error code', ({ refusal }) => refusal?.code ?? 'none'],
    ['rejected fields', ({ refusal }) => distinct(refusal?.fields ?? []).join(', ') || 'none'],
    ['headers', ({ headers }) => headers.join(', ') || 'none'],
    ['values', ({ values }) => values.join(', ') || 'none'],
  ];
  const differing = facts
    .map(([where, of]) => ({ where, platform: of(left), sandbox: of(right) }))
    .filter(({ platform, sandbox }) => platform !== sandbox);
  // A refusal and a success have nothing in common.
  const isComparable = (left.refusal === undefined) === (right.refusal === undefined);
  return [...differing, ...(isComparable ? compareShapes(left.shape, right.shape, dialect.optional) : [])];
}
