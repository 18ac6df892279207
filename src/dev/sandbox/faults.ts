import { matchesPattern } from './pattern.ts';

export const faultNames = [
  'timeout_before',
  'timeout_after',
  'reset_after',
  'slow',
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
  /** How often it applies; once by default. */
  times: number;
  /** Matching requests that pass first. */
  skip: number;
  /** Only calls with this token match. */
  token?: string;
}

export interface Faults {
  add: (fault: Fault) => void;
  clear: () => void;
  list: () => Fault[];
  /** Returns the fault for this request and decrements its count. */
  take: (request: {
    platform: string;
    method: string;
    path: string;
    token?: string;
    header?: string;
    /** The kind and name of the created object. */
    edge?: string;
    name?: string;
  }) => FaultName | undefined;
}

export const isFault = (name: unknown): name is FaultName => faultNames.includes(name as FaultName);

/**
 * Fault injection: through the control API, a request header, or a name such as `Sale [fault:timeout_after@adsets]`.
 */
export function createFaults(): Faults {
  let active: Fault[] = [];
  const appliedFaults = new Set<string>();
  return {
    add: (fault) => void active.push(fault),
    clear: () => void (active = []),
    list: () => active,
    take({ platform, method, path, token, header, edge, name }) {
      if (isFault(header)) return header;
      const named = fromName(name, edge);
      // A repeated call has the same name; its fault applies once.
      if (named && !appliedFaults.has(`${path} ${name}`)) {
        appliedFaults.add(`${path} ${name}`);
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
