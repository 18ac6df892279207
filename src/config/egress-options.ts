import type { EgressOptions } from '../egress/egress.ts';
import { hostsOf } from '../egress/hosts-of.ts';
import type { Config } from './config.ts';

/** Where webhooks may go: loopback only while trying, the stores of the service never. */
export const egressOptions = ({ webhooks, isProduction, egressProxy, mongoUri, redisUrl }: Config): EgressOptions => ({
  allowedCidrs: webhooks.allowedCidrs,
  requireHttps: webhooks.requireHttps,
  allowLoopback: !isProduction,
  timeoutMs: webhooks.timeoutMs,
  proxy: egressProxy,
  ownServices: [mongoUri, redisUrl].flatMap((uri) => hostsOf(uri)),
});
