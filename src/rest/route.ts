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
  summary: string;
  /** On writes: members that stand in the query, not in the body. */
  inQuery?: string[];
  input: z.ZodObject;
  output: z.ZodObject;
  /** Status of a success; a dry run of a 201 answers 200. */
  status: 200 | 201 | 202;
  /** Codes beyond those that every endpoint can answer. */
  errors: ErrorCode[];
  /** On creates an explicit null means "left out". */
  dropNulls: boolean;
  /** Members of the answer that are shown once and never stored for a replay. */
  secrets?: string[];
  /** A connect token is enough here. */
  connects: boolean;
  run: (ctx: Ctx, input: never, newId: string) => Promise<object>;
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
