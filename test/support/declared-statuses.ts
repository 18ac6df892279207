import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, expect } from 'vitest';
import { recordCall } from './api-coverage.ts';
import { operationAt, undeclared } from './openapi.ts';

// Every REST answer of the suite is compared with the OpenAPI document: those that a server in this process gives,
// by any client, and those that this process gets by fetch, wherever the server runs.
const problems = new Set<string>();

function observe(method: string, path: string, status: number): void {
  if (!path.startsWith('/v1/')) return;
  const operation = operationAt(method, path);
  if (operation) recordCall(operation.operationId);
  const problem = undeclared(method, path, status);
  if (problem) problems.add(problem);
}

function onServed(message: unknown): void {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  // Only the service names its requests; receivers and the sandbox have paths of their own.
  if (!response.hasHeader('x-request-id')) return;
  observe(request.method ?? '', request.url ?? '', response.statusCode);
}

function onFetched(message: unknown): void {
  const { request, response } = message as {
    request: { method: string; path: string };
    response: { statusCode: number; headers: Buffer[] };
  };
  if (!response.headers.some((name) => name.toString('latin1').toLowerCase() === 'x-request-id')) return;
  observe(request.method, request.path, response.statusCode);
}

subscribe('http.server.response.finish', onServed);
subscribe('undici:request:headers', onFetched);

// Files share a process; what a file leaves behind would watch the next ones.
afterAll(() => {
  unsubscribe('http.server.response.finish', onServed);
  unsubscribe('undici:request:headers', onFetched);
  expect([...problems]).toEqual([]);
});
