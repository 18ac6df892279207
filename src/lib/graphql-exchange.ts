/** A GraphQL request whose body has been read and parsed. */
export interface GraphqlRequest {
  method: string;
  url: string;
  accept: string | undefined;
  /** The parameters, if they were sent as a body. */
  body: object;
}

type Body = string | ReadableStream<Uint8Array> | null;

/**
 * What Yoga makes its responses of, instead of a web `Response`: that would be converted to a response of Node by an adapter,
 * and both together take more CPU than the execution of a small request.
 */
export class GraphqlResponse {
  readonly body: Body;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(body: Body, { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

/** The members of a web `Request` that Yoga reads. */
export function webRequestOf({ method, url, accept, body }: GraphqlRequest): Request {
  const headers: Record<string, string | undefined> = { accept, 'content-type': 'application/json' };
  return { method, url, headers: { get: (name: string) => headers[name] ?? null }, json: () => body } as never;
}
