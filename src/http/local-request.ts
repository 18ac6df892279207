import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../lib/address.ts';

/** Headers that proxies, tunnels and content networks add. */
const proxyHeader =
  /^(forwarded|via|cdn-loop|x-forwarded.*|x-original.*|x-envoy-.*|x-azure-.*|x-amzn-.*|x-amz-cf-.*|x-appengine-.*|x-vercel-.*|x-proxy.*|ngrok-.*|cf-.*|fly-.*|fastly-.*|akamai-.*|tailscale-.*|(x-|true-|x-cluster-)?(real|client|remote)-(ip|addr))$/;

/**
 * Whether a program on this machine asks this process directly: over a loopback socket, under a loopback name (a foreign
 * name could be a page whose name was rebound to this machine), and not through a proxy.
 */
export function isLocalRequest({ socket, headers, headersDistinct }: IncomingMessage): boolean {
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    headersDistinct['host']?.length === 1 &&
    /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(headers.host ?? '') &&
    !Object.keys(headers).some((name) => proxyHeader.test(name))
  );
}
