import { createServer, type RequestListener, type Server } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Log } from '../telemetry/log.ts';
import { watchConnections } from './draining.ts';
import { answerMalformedRequests } from './malformed-request.ts';
import { closePipelined } from './pipelining.ts';
import { answerWhileStarting } from './starting.ts';

export interface ServerOptions {
  port: number;
  host: string;
  keepAliveMs: number;
}

export interface OpenServer {
  server: Server;
  /** Ends the start: requests go to this listener from now on. */
  serve: (listener: RequestListener) => void;
  /** The start failed: answers what waits for it, and closes. */
  abandon: () => Promise<void>;
}

/** Opens the port before the service is composed, so that health checks are answered from the beginning. */
export async function openServer({ port, host, keepAliveMs }: ServerOptions, log: Log): Promise<OpenServer> {
  let endStart: (listener?: RequestListener) => void = () => undefined;
  const started = new Promise<RequestListener | undefined>((resolve) => (endStart = resolve));
  let current: RequestListener = (request, response) => void answerWhileStarting(request, response, started, log);
  // A missing Host header is refused by the listener, in the error format.
  const server = createServer({ requireHostHeader: false }, (request, response) => current(request, response));
  // Slow-header attacks end after ten seconds; answers may take as long as a platform does.
  server.headersTimeout = 10_000;
  server.requestTimeout = 60_000;
  server.keepAliveTimeout = keepAliveMs;
  watchConnections(server);
  closePipelined(server);
  answerMalformedRequests(server, log);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    server,
    serve: (listener) => {
      current = listener;
      endStart(listener);
    },
    abandon: async () => {
      endStart();
      // The waiting requests get their response before their connections close.
      await setImmediate();
      server.close();
      server.closeAllConnections();
    },
  };
}
