import { Redis, type RedisOptions } from 'ioredis';
import { keepAlive } from './keepalive.ts';

/** redis+sentinel://user:password@sentinel-1:26379,sentinel-2:26379/name/0?sentinelPassword=... */
const sentinelAddress = /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?]+)\/([^/?]+)(?:\/(\d+))?(?:\?(.*))?$/;

export const isSentinelAddress = (address: string): boolean => sentinelAddress.test(address);

/** After a failover a connection can still lead to the former primary; the command was not executed and can be repeated. */
const reconnectOnError = ({ message }: Error): 2 | false => (message.startsWith('READONLY') ? 2 : false);

/** Opens a connection to a single Redis or, for a Sentinel address, to the primary that the sentinels name. */
export function openConnection(address: string, options: RedisOptions): Redis {
  const common = { reconnectOnError, ...options };
  const sentinels = sentinelOptions(address);
  return keepAlive(sentinels ? new Redis({ ...common, ...sentinels }) : new Redis(address, common));
}

function sentinelOptions(address: string): RedisOptions | undefined {
  const [, scheme, login = '', hosts = '', name = '', db = '0', query] = sentinelAddress.exec(address) ?? [];
  if (!scheme) return undefined;
  const [username = '', ...password] = login.split(':').map(decodeURIComponent);
  const parameters = new URLSearchParams(query);
  return {
    sentinels: hosts.split(',').map(hostAndPort),
    name: decodeURIComponent(name),
    db: Number(db),
    ...(username && { username }),
    ...(password.length > 0 && { password: password.join(':') }),
    sentinelUsername: parameters.get('sentinelUsername') ?? undefined,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
    ...(scheme === 'rediss' && { tls: {}, enableTLSForSentinelMode: true }),
  };
}

function hostAndPort(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 26_379) };
}
