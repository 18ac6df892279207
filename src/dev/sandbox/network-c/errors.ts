import type { FaultName } from '../faults.ts';
import type { Reply } from '../platform.ts';

/** Thrown by any check; returned with the platform's own code, nearly always with status 200. */
export class VendorError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** An invalid parameter. Messages are unconfirmed; codes are confirmed unless noted. */
export const wrong = (message: string): VendorError => new VendorError(40002, message);

export const missing = (name: string): VendorError => wrong(`${name}: Missing data for required field.`);

export const unknown = (what: string, id: string): VendorError =>
  new VendorError(40007, `The ${what} ${id} does not exist.`);

let answered = 0;

/** The envelope of every response; its request_id identifies it in the platform's logs. */
export function envelope({ code = 0, message = 'OK', data = {}, status = 200 }: Partial<Envelope>): Reply {
  answered += 1;
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const requestId = `${time}${answered.toString(16).toUpperCase().padStart(20, '0')}`;
  return { status, body: { code, message, request_id: requestId, data }, headers: { 'X-TT-LOGID': requestId } };
}

interface Envelope {
  code: number;
  message: string;
  data: unknown;
  status: number;
}

const faults: Partial<Record<FaultName, Partial<Envelope>>> = {
  http_500: { code: 50000, message: 'System error', status: 500 },
  transient: { code: 50002, message: 'Service error, please try again later' },
  token_expired: { code: 40102, message: 'The access token has expired' },
  token_invalid: { code: 40105, message: 'Access token is incorrect or has been revoked.' },
  policy_block: { code: 40002, message: 'The advertiser account is suspended for a violation of the policies.' },
  rate_limited: { code: 40100, message: 'Too many requests. Please retry in some time.' },
  rate_limited_account: { code: 40133, message: 'Too many requests for this advertiser. Please retry in some time.' },
};

/** The error response of an injected fault. */
export const failWith = (fault: FaultName): Reply => envelope(faults[fault] ?? faults.http_500 ?? {});
