import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, errorBody } from '../contract/error.ts';
import type { Log } from '../telemetry/log.ts';
import { requestIdOf } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

const causes: Record<string, [status: number, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are larger than 16 KiB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not complete in time'],
};

/** A socket with the response that it sends or will send next. */
interface Sending {
  _httpMessage?: ServerResponse;
}

/** Returns the error format and logs, for requests that Node rejects before a handler runs. */
export function answerMalformedRequests(server: Server, log: Log): void {
  const answer = (socket: Duplex, error: AppError, cause?: string): void => {
    const requestId = requestIdOf(undefined);
    log.info({ requestId, status: error.status, cause }, 'malformed request');
    const text = rawAnswer(error, requestId);
    socket.end(text, () => socket.destroy());
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // A response that is already being sent must not be written into.
    const { _httpMessage: response } = socket as Sending;
    if (!socket.writable || error.code === 'ECONNRESET' || response?.headersSent) return void socket.destroy();
    // An answer would be taken for that of the running request, which ends the connection instead.
    if (response?.req.complete) return void (response.shouldKeepAlive = false);
    const [status, message] = causes[error.code ?? ''] ?? [400, 'The request is not valid HTTP'];
    answer(socket, new AppError('malformed_request', message, { status }), error.code);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    answer(socket, new AppError('method_not_allowed', 'CONNECT is not supported: this service is not a proxy'));
  });
  // An unknown Expect header may be ignored.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
}

/** Ends a request whose body is awaited, as Node does after its own limit. */
export function endIncomplete(request: IncomingMessage): void {
  const { socket } = request;
  const { server, _httpMessage: response } = socket as Socket & Sending & { server: Server };
  // An answer would be taken for that of an earlier request of the connection.
  if (response && response.req !== request) return void socket.destroy();
  const late = Object.assign(new Error('The body did not arrive'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  server.emit('clientError', late, socket);
}

function rawAnswer(error: AppError, requestId: string): string {
  const body = JSON.stringify(errorBody(error, requestId));
  const headers = {
    ...securityHeaders,
    'X-Request-Id': requestId,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
