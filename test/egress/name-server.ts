import { createSocket, type Socket } from 'node:dgram';
import { promises as dns, type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Resolve } from '../../src/egress/dns-guard.ts';

export interface NameServer {
  /** What each next question for an IPv4 or IPv6 address is answered with. */
  answer: (name: string) => string[];
  asked: string[];
  resolve: Resolve;
  stop: () => void;
}

const types = { a: 1, aaaa: 28 };

/** The question's name, and where it ends. */
function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

/** An answer with a time to live of zero: it must not be cached. */
function answerTo(query: Buffer, addresses: string[]): Buffer {
  const { end } = nameIn(query);
  const type = query.readUInt16BE(end);
  const fitting = addresses.filter((address) => (isIPv6(address) ? types.aaaa : types.a) === type);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(fitting.length, 6);
  header.writeUInt32BE(0, 8);
  const records = fitting.map((address) => {
    const bytes = bytesOf(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([header, query.subarray(12, end + 4), ...records]);
}

/** A name server on this machine, asked over UDP as any other; what it says may change from question to question. */
export async function startNameServer(): Promise<NameServer> {
  const socket: Socket = createSocket('udp4');
  const server: NameServer = {
    answer: () => [],
    asked: [],
    resolve: async (hostname): Promise<LookupAddress[]> => {
      const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
      const of = (result: PromiseSettledResult<string[]>, family: number): LookupAddress[] =>
        result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
      return [...of(four, 4), ...of(six, 6)];
    },
    stop: () => void socket.close(),
  };
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query);
    if (query.readUInt16BE(end) === types.a) server.asked.push(name);
    socket.send(answerTo(query, server.answer(name)), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new dns.Resolver({ tries: 1, timeout: 60_000 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return server;
}
