import { authorization } from '../../src/platforms/x-ads/signature.ts';
import type { Subject } from '../conformance/platforms.ts';
import type { UserFixture } from '../support/user-fixture.ts';
import { bodyOf, type UpstreamRequest } from './decode.ts';
import { checkerOf } from './check.ts';
import { factsOf } from './facts.ts';
import { mutationsOf, type Mutation } from './mutations.ts';

type Body = Record<string, any>;

/** A recorded write, and every way to make it wrong. */
export interface Sample {
  request: UpstreamRequest;
  operation: string;
  body: unknown;
  mutations: Mutation[];
}

export function samplesOf(requests: UpstreamRequest[]): Sample[] {
  return requests.flatMap((request) => {
    const checker = checkerOf(request);
    const schema = checker?.operation.body;
    // Tokens and searches make nothing.
    if (!schema || request.method === 'GET' || /token|search$|suggest$/i.test(request.path)) return [];
    const body = bodyOf(request, checker.operation);
    const mutations = mutationsOf(body, schema, factsOf(request.platform).$defs);
    return [{ request, operation: checker.name, body, mutations }];
  });
}

let made = 0;

/** The body with new names, texts and request ids, so that a platform which refuses duplicates takes it again. */
export function renewed(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => renewed(item));
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renewed(member, key)]));
  }
  made += 1;
  if (name === 'request_id') return String(Date.now() * 1000 + (made % 1000));
  const isText = typeof value === 'string' && /(^name|_name|^text|^commentary)$/.test(name);
  return isText ? `${value.slice(0, 20)} ${made}` : value;
}

/** The body as it is sent. */
export function bytesOf(sample: Sample, body: unknown): Buffer {
  const isForm = sample.request.type.includes('urlencoded');
  return Buffer.from(isForm ? new URLSearchParams(formOf(sample, body)).toString() : JSON.stringify(body));
}

function formOf({ request, body: before }: Sample, body: unknown): Record<string, string> {
  const texts = new URLSearchParams(request.body.toString());
  const textOf = (name: string, value: unknown): string => {
    // What is unchanged keeps its text: ids are longer than numbers can be.
    if (JSON.stringify(value) === JSON.stringify((before as Body)[name])) return texts.get(name) ?? '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  return Object.fromEntries(Object.entries(body as Body).map(([name, value]) => [name, textOf(name, value)]));
}

export interface Target {
  sandboxUrl: string;
  subject: Subject;
  fixture: UserFixture;
}

/** Sends a body in place of the recorded one; returns the codes of the refusal, or undefined if it is taken. */
export async function replay(target: Target, sample: Sample, body: unknown): Promise<unknown[] | undefined> {
  const { method, path, query, type, headers } = sample.request;
  const { platform, simulated } = target.subject;
  const address = `${target.sandboxUrl}/${simulated}${path}`;
  const params = type.includes('urlencoded') ? formOf(sample, body) : {};
  const kept = Object.entries(headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name));
  const response = await fetch(query === '' ? address : `${address}?${query}`, {
    method,
    headers: { ...Object.fromEntries(kept), ...(platform === 'E' && signed({ method, url: address, params }, target)) },
    body: new Uint8Array(bytesOf(sample, body)),
  });
  const text = await response.text();
  return codesOf(platform, response.status, (text === '' ? {} : JSON.parse(text)) as Body);
}

/** A signature is valid once. */
function signed(request: Parameters<typeof authorization>[0], { fixture }: Target): Record<string, string> {
  const { accessToken: token, accessTokenSecret: tokenSecret = '' } = fixture.connection;
  const app = { consumerKey: 'sandbox-consumer-key', consumerSecret: 'sandbox-consumer-secret' };
  return { authorization: authorization(request, { ...app, token, tokenSecret }) };
}

/** The codes in the format of the platform's errors. */
function codesOf(platform: string, status: number, body: Body): unknown[] | undefined {
  const found = codes[platform]?.(body) ?? [];
  const isTaken = status < 300 && (platform === 'D' ? body['code'] === 0 : found.length === 0);
  return isTaken ? undefined : found;
}

const codes: Record<string, (body: Body) => unknown[]> = {
  A: ({ error }) => (error ? [error.code] : []),
  B: ({ error }) =>
    (error?.details ?? []).flatMap(({ errors = [], fieldViolations = [] }: Body) => [
      ...errors.flatMap(({ errorCode }: Body) => Object.values(errorCode)),
      ...fieldViolations.map(({ field }: Body) => field),
    ]),
  C: ({ items, code }) =>
    items
      ? items.flatMap(({ exceptions }: Body) => exceptions ?? []).map((one: Body) => one['code'])
      : code
        ? [code]
        : [],
  D: ({ code }) => [code],
  E: ({ errors = [], operation_errors = [] }) => [...errors, ...operation_errors.flat()].map(({ code }: Body) => code),
  F: ({ code, serviceErrorCode, message }) => [code ?? serviceErrorCode ?? message].filter(Boolean),
};
