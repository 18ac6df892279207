import { matchesPattern } from './pattern.ts';

export const faultNames = [
  'timeout_before',
  'timeout_after',
  'reset_after',
  'http_500',
  'html_502',
  'ok_with_error',
  'rate_limited',
  'rate_limited_account',
  'token_expired',
  'token_invalid',
  'policy_block',
  'transient',
  'malformed',
  'huge',
] as const;
export type FaultName = (typeof faultNames)[number];

export interface Fault {
  platform: string;
  fault: FaultName;
  match?: { method?: string; path?: string };
  /** How often it strikes; once when left out. */
  times: number;
  /** Matching requests that pass first. */
  skip: number;
  /** Only calls with this token. */
  token?: string;
}

export interface Faults {
  add: (fault: Fault) => void;
  clear: () => void;
  list: () => Fault[];
  /** The fault that strikes this request, counted down. */
  take: (request: {
    platform: string;
    method: string;
    path: string;
    token?: string;
    header?: string;
    /** What the request makes and how it is named. */
    edge?: string;
    name?: string;
  }) => FaultName | undefined;
}

export const isFault = (name: unknown): name is FaultName => faultNames.includes(name as FaultName);

/** Failures on demand: set through the control address, a request header, or a name such as `Sale [fault:timeout_after@adsets]`. */
export function createFaults(): Faults {
  let active: Fault[] = [];
  const struck = new Set<string>();
  return {
    add: (fault) => void active.push(fault),
    clear: () => void (active = []),
    list: () => active,
    take({ platform, method, path, token, header, edge, name }) {
      if (isFault(header)) return header;
      const named = fromName(name, edge);
      // A name stays the same when the call is repeated; it strikes once.
      if (named && !struck.has(`${path} ${name}`)) {
        struck.add(`${path} ${name}`);
        return named;
      }
      const found = active.find(
        (fault) =>
          fault.platform === platform &&
          (fault.token === undefined || fault.token === token) &&
          matches(fault, method, path),
      );
      if (!found) return undefined;
      if (found.skip > 0) {
        found.skip -= 1;
        return undefined;
      }
      found.times -= 1;
      if (found.times <= 0) active = active.filter((fault) => fault !== found);
      return found.fault;
    },
  };
}

const matches = ({ match }: Fault, method: string, path: string): boolean =>
  (!match?.method || match.method === method) && (!match?.path || matchesPattern(match.path, path));

function fromName(name: string | undefined, edge: string | undefined): FaultName | undefined {
  const [, fault, at = 'campaigns'] = /\[fault:(\w+)(?:@(\w+))?\]/.exec(name ?? '') ?? [];
  return isFault(fault) && edge === at ? fault : undefined;
}
