import type { z } from 'zod';
import type { ErrorCode } from '../contract/error.ts';
import type { Ctx } from '../services/context.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One endpoint: the same contract and the same service as the GraphQL field of that name. */
export interface Route {
  /** The GraphQL field of the same operation. */
  name: string;
  method: Method;
  path: `/v1/${string}`;
  /** A second path to the same, whose ids stand in the query. */
  shortPath?: `/v1/${string}`;
  /** Heading in the reference. */
  summary: string;
  /** Description in the reference, in Markdown. */
  description: string;
  /** On writes: members that stand in the query, not in the body. */
  inQuery?: string[];
  input: z.ZodObject;
  output: z.ZodObject;
  /** Response bodies by status for the reference, if there are several; all match `output`. */
  outputs?: Partial<Record<Route['status'], z.ZodObject[]>>;
  /** Status of a success; a dry run of a 201 answers 200. */
  status: 200 | 201 | 202;
  /** Codes beyond those that every endpoint can answer. */
  errors: ErrorCode[];
  /** On creates an explicit null means "left out". */
  dropNulls: boolean;
  /** Members of the answer that are shown once and never stored for a replay. */
  secrets?: string[];
  /** Accepts a connect token instead of an API key. */
  connects: boolean;
  run: (ctx: Ctx, input: never, newId: string) => Promise<object>;
}

/** The fields of an input by their location in the request. */
export function placesOf({ path, method, input, inQuery = [] }: Route): Record<'path' | 'query' | 'body', string[]> {
  const names = Object.keys(input.shape);
  const inPath = names.filter((name) => path.includes(`{${name}}`));
  const others = names.filter((name) => !inPath.includes(name));
  const isInQuery = (name: string): boolean => method === 'GET' || inQuery.includes(name);
  return { path: inPath, query: others.filter(isInQuery), body: others.filter((name) => !isInQuery(name)) };
}

export const pathsOf = ({ path, shortPath }: Pick<Route, 'path' | 'shortPath'>): string[] =>
  shortPath ? [path, shortPath] : [path];

interface RouteOptions<I extends z.ZodObject, O extends z.ZodObject> extends Omit<
  Route,
  'input' | 'output' | 'run' | 'status' | 'errors' | 'dropNulls' | 'connects'
> {
  input: I;
  output: O;
  status?: Route['status'];
  errors?: ErrorCode[];
  dropNulls?: boolean;
  connects?: boolean;
  run: (ctx: Ctx, input: z.output<I>, newId: string) => Promise<z.input<O>>;
}

export const route = <I extends z.ZodObject, O extends z.ZodObject>(options: RouteOptions<I, O>): Route => ({
  status: 200,
  errors: [],
  connects: false,
  dropNulls: options.method === 'POST' || options.method === 'GET',
  ...options,
});
