/** Why a request failed, as a code that may be shown to the owner. */
export type ErrorClass =
  | 'forbidden_address'
  | 'dns'
  | 'refused'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'invalid_request'
  | 'proxy'
  | 'too_large'
  | 'http_error'
  | 'unreachable';

export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly errorClass: ErrorClass;
  /** The address of the request, if it was determined. */
  readonly remoteAddress: string | null;

  constructor(errorClass: ErrorClass, options: ErrorOptions & { remoteAddress?: string | null } = {}) {
    super(errorClass, options);
    this.errorClass = errorClass;
    this.remoteAddress = options.remoteAddress ?? null;
  }
}

const classes: [RegExp, ErrorClass][] = [
  [/^(ENOTFOUND|EAI_AGAIN|EAI_FAIL|ENODATA)$/, 'dns'],
  [/^ECONNREFUSED$/, 'refused'],
  [/CERT|TLS|SSL|ERR_SSL|UNABLE_TO|SELF_SIGNED|EPROTO/, 'tls'],
  [/TIMEOUT|TimeoutError|ABORT_ERR|AbortError/i, 'timeout'],
  [/^(ECONNRESET|EPIPE|UND_ERR_(SOCKET|HEADERS_OVERFLOW|RES_.*)|ERR_ASSERTION|HPE_.*|HTTPParserError)$/, 'reset'],
  [/^(UND_ERR_INVALID_ARG|ERR_INVALID_.*)$/, 'invalid_request'],
];

export function classOf(error: unknown): ErrorClass {
  if (error instanceof EgressError) return error.errorClass;
  const { code, name, cause } = error as { code?: unknown; name?: string; cause?: unknown };
  const word = typeof code === 'string' ? code : (name ?? '');
  const found = classes.find(([pattern]) => pattern.test(word))?.[1];
  if (found) return found;
  return cause === undefined || cause === null ? 'unreachable' : classOf(cause);
}
