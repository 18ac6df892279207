/** A GraphQL request whose parameters have been read and parsed. */
export interface GraphqlRequest {
  method: string;
  /** What the caller accepts. */
  accept: string | undefined;
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
