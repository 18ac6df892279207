import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../egress/address.ts';

/** Headers that proxies, tunnels and CDNs add. */
const proxyHeader =
  /^((x-)?forward.*|via|cdn-.*|x-original.*|x-envoy-.*|x-azure-.*|x-amzn-.*|x-amz-cf-.*|x-appengine-.*|x-vercel-.*|x-nf-.*|x-arr-.*|x-cloud-trace-context|x-varnish|x-request-start|x-scheme|x-host|x-proxy.*|.*proxy-client-ip|ngrok-.*|cf-.*|fly-.*|fastly-.*|akamai-.*|tailscale-.*|surrogate-capability|(.*-)?(real|client|remote|connecting)-?(ip|addr)|max-forwards)$/;

/**
 * Whether a request comes directly from this machine: over a loopback socket, with a loopback host name (any other name
 * could be a DNS rebinding attack), and not through a proxy. nginx by default adds no header and sends a loopback name,
 * but uses HTTP/1.0.
 */
export function isLocalRequest({ socket, headers, headersDistinct, httpVersion }: IncomingMessage): boolean {
  return (
    httpVersion !== '1.0' &&
    isLoopback(socket.remoteAddress ?? '') &&
    headersDistinct['host']?.length === 1 &&
    /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(headers.host ?? '') &&
    !Object.keys(headers).some((name) => proxyHeader.test(name))
  );
}

/** Whether the service is a development one that only this machine can reach, and the request comes from this machine. */
export const isLocalDevelopment = (
  { isProduction, host, hasPublicUrl }: { isProduction: boolean; host: string; hasPublicUrl: boolean },
  request: IncomingMessage,
): boolean => !isProduction && !hasPublicUrl && isLoopback(host) && isLocalRequest(request);
