import type { FaultName } from '../faults.ts';
import type { Reply } from '../platform.ts';

export interface GraphFault {
  code: number;
  subcode?: number;
  message: string;
  title?: string;
  /** Human-readable message, in addition to the technical one. */
  text?: string;
  field?: string;
  /** Some errors contain `error_data` as an object, others as JSON text. */
  errorDataAsText?: boolean;
  status?: number;
  isTransient?: boolean;
}

/** Thrown by any check; returned as the platform's error envelope. */
export class GraphError extends Error {
  readonly fault: GraphFault;

  constructor(fault: GraphFault) {
    super(fault.message);
    this.fault = fault;
  }
}

let trace = 0;

export function envelope({
  code,
  subcode,
  message,
  title,
  text,
  field,
  errorDataAsText,
  status = 400,
  isTransient = false,
}: GraphFault): Reply {
  const data = field && { blame_field_specs: [[field]] };
  trace += 1;
  const error = {
    message: `(#${code}) ${message}`,
    type: 'OAuthException',
    code,
    ...(subcode && { error_subcode: subcode }),
    ...(data && { error_data: errorDataAsText ? JSON.stringify(data) : data }),
    is_transient: isTransient,
    ...(title && { error_user_title: title }),
    ...(text && { error_user_msg: text }),
    fbtrace_id: `A${String(trace).padStart(10, '0')}`,
  };
  return { status, body: { error } };
}

export const invalid = (message: string, options: Partial<GraphFault> = {}): GraphError =>
  new GraphError({ code: 100, message: 'Invalid parameter', title: 'Invalid parameter', text: message, ...options });

/** Unknown, forbidden and unsupported objects are indistinguishable. */
export const unknownObject = (id: string): GraphError =>
  new GraphError({
    code: 100,
    subcode: 33,
    message: `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  });

const busy = {
  estimated_time_to_regain_access: 2,
  type: 'ads_management',
  call_count: 100,
  total_cputime: 90,
  total_time: 90,
};

const faults: Partial<Record<FaultName, GraphFault>> = {
  http_500: { code: 1, message: 'An unknown error occurred', status: 500 },
  transient: { code: 2, message: 'Service temporarily unavailable', status: 500, isTransient: true },
  token_expired: {
    code: 190,
    subcode: 463,
    message: 'Error validating access token: Session has expired',
    status: 401,
  },
  token_invalid: {
    code: 190,
    subcode: 467,
    message: 'Error validating access token: The session is invalid',
    status: 401,
  },
  policy_block: { code: 368, message: 'The action attempted has been deemed abusive or is otherwise disallowed' },
  rate_limited: { code: 80004, message: 'There have been too many calls to this ad-account' },
  rate_limited_account: { code: 17, subcode: 2446079, message: 'User request limit reached' },
};

/** The error response of an injected fault. */
export function failWith(fault: FaultName, accountId: string): Reply {
  const reply = envelope(faults[fault] ?? { code: 1, message: 'An unknown error occurred', status: 500 });
  if (fault === 'rate_limited_account')
    return {
      ...reply,
      headers: { 'X-Ad-Account-Usage': JSON.stringify({ acc_id_util_pct: 100, reset_time_duration: 60 }) },
    };
  if (fault !== 'rate_limited') return reply;
  return { ...reply, headers: { 'X-Business-Use-Case-Usage': JSON.stringify({ [accountId]: [busy] }) } };
}
