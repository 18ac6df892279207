import { Redis, type Command, type RedisOptions } from 'ioredis';
import { within } from '../lib/timeout.ts';
import { atMostEvery } from '../lib/throttle.ts';
import type { Log } from '../telemetry/log.ts';
import { keepAlive } from './keepalive.ts';

/** redis+sentinel://user:password@sentinel-1:26379,sentinel-2:26379/name/0?sentinelPassword=... */
const sentinelAddress = /^(rediss?)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?]+)\/([^/?]+)(?:\/(\d+))?(?:\?(.*))?$/;

export const isSentinelAddress = (address: string): boolean => sentinelAddress.test(address);

/** After a failover a connection can still lead to the former primary; the command was not executed and can be repeated. */
const reconnectOnError = ({ message }: Error): 2 | false => (message.startsWith('READONLY') ? 2 : false);

export interface ConnectionOptions extends Omit<RedisOptions, 'commandTimeout' | 'socketTimeout'> {
  /** How long a command waits for its reply. */
  replyTimeoutMs?: number;
  /** How long a connection may receive nothing while a reply is pending, before it is replaced. */
  silenceTimeoutMs?: number;
}

/** Has its own timeouts: those of ioredis discard a reply that arrived while the event loop was busy. */
class Connection extends Redis {
  #watched?: Redis['stream'];

  override duplicate(changed: ConnectionOptions = {}): Redis {
    return new Connection({ ...this.options, ...changed });
  }

  override sendCommand(command: Command, stream?: Parameters<Redis['sendCommand']>[1]): unknown {
    // What the query of an address sets is text, and no timeout.
    const { replyTimeoutMs, silenceTimeoutMs } = this.options as ConnectionOptions;
    if (command.name === 'info') replaceForbiddenInfo(command);
    const sent = super.sendCommand(command, stream);
    if (typeof replyTimeoutMs === 'number') void rejectAfter(command, replyTimeoutMs);
    if (typeof silenceTimeoutMs === 'number' && this.commandQueue.length > 0)
      void this.#replaceIfSilent(silenceTimeoutMs);
    return sent;
  }

  async #replaceIfSilent(ms: number): Promise<void> {
    const { stream } = this;
    if (this.#watched === stream) return;
    this.#watched = stream;
    const received = new Promise((resolve) => stream.once('data', resolve));
    if (!(await within(received, ms))) stream.destroy(new Error(`Received nothing for ${ms} ms`));
    if (this.#watched !== stream) return;
    this.#watched = undefined;
    if (this.commandQueue.length > 0 && this.stream === stream) void this.#replaceIfSilent(ms);
  }
}

/**
 * A managed Redis may forbid INFO. The ready check of ioredis, which then writes to the console, and BullMQ, which does not work
 * then, get the oldest supported version instead.
 */
function replaceForbiddenInfo(command: Command): void {
  const { reject } = command;
  command.reject = (error) => (error.message.startsWith('NOPERM') ? command.resolve(minimalInfo) : reject(error));
}

const minimalInfo = 'redis_version:6.2.0\r\n';

async function rejectAfter(command: Command, ms: number): Promise<void> {
  const replied = (): boolean => true;
  if (!(await within(command.promise.then(replied, replied), ms))) command.reject(new Error('Command timed out'));
}

/** Opens a connection to a single Redis or, for a Sentinel address, to the primary that the sentinels name. */
export function openConnection(address: string, options: ConnectionOptions): Redis {
  const common = { reconnectOnError, ...options };
  const sentinels = sentinelOptions(address);
  return keepAlive(sentinels ? new Connection({ ...common, ...sentinels }) : new Connection(address, common));
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

const reporters = new WeakMap<Log, (message: string) => void>();

/**
 * Logs at most once a second that Redis rejects commands although it is connected: its memory or disk is full, or the user
 * lacks a permission. Lost connections are logged where they are opened.
 */
export function logRejections(log: Log): (error: unknown) => void {
  let report = reporters.get(log);
  if (!report) reporters.set(log, (report = atMostEvery(1_000, (err) => log.error({ err }, 'Redis rejects commands'))));
  return (error) => {
    if (error instanceof Error && error.name === 'ReplyError') report(error.message);
  };
}
