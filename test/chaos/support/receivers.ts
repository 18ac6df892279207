import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';

export const secret = 'a secret of many letters';

/** How a receiver behaves, whether it can receive in the end, and the order that it asks for. */
export const kinds = {
  good: { isAble: true, ordering: 'none' },
  slow: { isAble: true, ordering: 'none' },
  huge: { isAble: true, ordering: 'none' },
  bomb: { isAble: true, ordering: 'none' },
  resetting: { isAble: true, ordering: 'none' },
  flapping: { isAble: true, ordering: 'none' },
  healing: { isAble: true, ordering: 'none' },
  strict: { isAble: true, ordering: 'strict' },
  'strict-flapping': { isAble: true, ordering: 'strict' },
  hanging: { isAble: false, ordering: 'none' },
  dripping: { isAble: false, ordering: 'none' },
  redirecting: { isAble: false, ordering: 'none' },
  gone: { isAble: false, ordering: 'none' },
  certificate: { isAble: false, ordering: 'none' },
} as const;

export type Kind = keyof typeof kinds;

export interface Arrival {
  eventId: string;
  /** The key or ad that the event concerns. */
  entityId: string;
  at: number;
  isAccepted: boolean;
}

export interface ChaosReceiver {
  kind: Kind;
  url: string;
  arrivals: Arrival[];
  /** Requests that are not answered yet. */
  open: () => number;
  badSignatures: () => number;
  heal: () => void;
  stop: () => Promise<void>;
}

export interface Surroundings {
  random: () => number;
  folder: string;
  /** Where a redirect leads: no request may ever arrive there. */
  forbiddenUrl: string;
}

interface State {
  isHealed: boolean;
  random: () => number;
  forbiddenUrl: string;
}

/** Answers 2xx unless the sender has disconnected: then the response is lost and the delivery must be repeated. */
type Accept = (response: ServerResponse) => void;
type Behaviour = (response: ServerResponse, accept: Accept, state: State) => void;

const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024));
const megabyte = Buffer.alloc(1024 * 1024, 'x');
const flapMs = 3_000;
const isDown = (): boolean => Math.floor(Date.now() / flapMs) % 3 === 2;

const ok: Behaviour = (response, accept) => {
  accept(response);
  response.end();
};
const never: Behaviour = () => undefined;
const fails =
  (status: number): Behaviour =>
  (response) =>
    void response.writeHead(status).end();
const flaps: Behaviour = (...all) => (isDown() ? fails(503)(...all) : ok(...all));

const behaviours: Record<Kind, Behaviour> = {
  good: ok,
  slow: (response, accept) =>
    void setTimeout(() => {
      accept(response);
      response.end();
    }, 400),
  huge: (response, accept) => {
    accept(response);
    let left = 10;
    const more = (): void => {
      if (response.destroyed) return;
      if (left-- === 0) response.end();
      else response.write(megabyte, more);
    };
    more();
  },
  bomb: (response, accept) => {
    accept(response);
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  },
  resetting: (response, accept, state) =>
    state.random() < 0.3 ? void response.socket?.resetAndDestroy() : ok(response, accept, state),
  flapping: flaps,
  healing: (response, accept, state) => (state.isHealed ? ok : never)(response, accept, state),
  strict: ok,
  'strict-flapping': flaps,
  hanging: never,
  dripping: (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('x'), 250);
    response.once('close', () => clearInterval(drip));
  },
  redirecting: (response, _accept, { forbiddenUrl }) => void response.writeHead(302, { location: forbiddenUrl }).end(),
  gone: fails(410),
  certificate: ok,
};

export async function startChaosReceiver(
  kind: Kind,
  { random, folder, forbiddenUrl }: Surroundings,
): Promise<ChaosReceiver> {
  const arrivals: Arrival[] = [];
  const state: State = { isHealed: false, random, forbiddenUrl };
  const verifier = new Webhook(secret, { format: 'raw' });
  let open = 0;
  let bad = 0;
  const server = serverOf(kind, folder, (request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (!isSigned(verifier, body, request.headers as Record<string, string>)) bad += 1;
      const arrival = { ...idsOf(body), at: Date.now(), isAccepted: false };
      arrivals.push(arrival);
      const accept: Accept = ({ destroyed, socket }) =>
        (arrival.isAccepted = !destroyed && socket?.destroyed === false);
      behaviours[kind](response, accept, state);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    kind,
    url: `${kind === 'certificate' ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    arrivals,
    open: () => open,
    badSignatures: () => bad,
    heal: () => (state.isHealed = true),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function serverOf(kind: Kind, folder: string, answer: RequestListener): Server {
  return kind === 'certificate' ? createSecureServer(selfSigned(folder), answer) : createServer(answer);
}

/** A certificate that no authority signed. */
function selfSigned(folder: string): { key: Buffer; cert: Buffer } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kindOfKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', ...kindOfKey, '-days', '2', '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

export function idsOf(body: string): { eventId: string; entityId: string } {
  const { id, apiKey, ad } = JSON.parse(body) as { id: string; apiKey?: { id: string }; ad?: { _id: string } };
  return { eventId: id, entityId: apiKey?.id ?? ad?._id ?? '' };
}

function isSigned(verifier: Webhook, body: string, headers: Record<string, string>): boolean {
  try {
    verifier.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
