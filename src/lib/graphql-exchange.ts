import { acceptsJson } from './accept.ts';

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

/** Accepts nothing, so that Yoga does not compare media types. */
const nothing = 'none;charset=none';

/** The members of a web `Request` that Yoga reads. */
class WebRequest {
  readonly method: string;
  readonly url: string;
  /** What the caller accepts; Yoga sees it only if that is not JSON. */
  readonly accept: string | undefined;
  readonly headers = this;
  private readonly body: object;

  constructor({ method, url, accept, body }: GraphqlRequest) {
    this.method = method;
    this.url = url;
    this.accept = accept;
    this.body = body;
  }

  get(name: string): string | null {
    if (name === 'accept') return acceptsJson(this.accept) ? nothing : (this.accept ?? null);
    return name === 'content-type' ? 'application/json' : null;
  }

  json(): object {
    return this.body;
  }
}

export const webRequestOf = (request: GraphqlRequest): Request => new WebRequest(request) as never;

/** What the caller of a request accepts. */
export const acceptOf = (request: Request): string | undefined => (request as unknown as WebRequest).accept;
