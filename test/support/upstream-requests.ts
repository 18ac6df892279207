import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { UpstreamRequest } from '../upstream/decode.ts';

/** The platforms behind the paths of the sandbox. */
const platforms: Record<string, string> = {
  'network-a': 'meta',
  'search-display': 'google-ads',
  'pin-board': 'pinterest',
  'network-c': 'tiktok',
  microblog: 'x-ads',
  professional: 'linkedin',
  listing: 'google-business',
  'ephemeral-messaging': 'snapchat',
};
type Listener = (request: UpstreamRequest) => void;
const listeners = new Set<Listener>();

/** Calls the listener for each request that the service sends to a sandbox of this process, also from child processes. */
export function onUpstreamRequest(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function onStart(message: unknown): void {
  const { request } = message as { request: IncomingMessage };
  const [, name = '', path = ''] = /^\/([\w-]+)(\/[^?]*)/.exec(request.url ?? '') ?? [];
  const platform = platforms[name];
  // Tests call the sandbox with fetch, which adds this header; the adapters do not use it.
  if (listeners.size === 0 || platform === undefined || 'sec-fetch-mode' in request.headers) return;
  const chunks: Buffer[] = [];
  const report = (): void => {
    const { method = '', url = '', headers } = request;
    const type = headers['content-type'] ?? '';
    const query = url.split('?')[1] ?? '';
    const body = Buffer.concat(chunks);
    const all = headers as Record<string, string>;
    for (const listener of listeners) listener({ platform, method, path, query, type, headers: all, body });
  };
  // A listener for data would take the body from the sandbox.
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk === null) report();
    else chunks.push(chunk);
    return push(chunk, encoding);
  };
}

// Once per worker, whose files share this module.
subscribe('http.server.request.start', onStart);
