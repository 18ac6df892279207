import type { ServerResponse } from 'node:http';
import type { Ctx } from '../services/context.ts';
import { oneReadAtATime } from '../services/reports/report-memory.ts';
import type { Admission } from './admission.ts';
import { addRequestFields } from './request-fields.ts';

/** The context of a GraphQL request: the common one, and what only that API uses of the response. */
export interface GraphqlCtx extends Ctx {
  maxCost: number;
  setHeader: (name: string, value: string) => void;
  onError: (errorCode: string) => void;
  requireCapacity: (operations: () => string[]) => void;
}

export interface GraphqlContextParts {
  admission: Admission;
  /** The most that one operation may cost. */
  maxCost: number;
}

/*
 * Functions that return the members of a context. V8 allocates a function that is written where it is assigned to a member in the old
 * generation, where it would keep all that its request has allocated until the next full garbage collection.
 */
const headerSetter =
  (response: ServerResponse): GraphqlCtx['setHeader'] =>
  (name, value) =>
    void response.setHeader(name, value);
const errorReporter =
  (response: ServerResponse): GraphqlCtx['onError'] =>
  (errorCode) =>
    addRequestFields(response, { errorCode });
const capacityCheck =
  (response: ServerResponse, admission: Admission): GraphqlCtx['requireCapacity'] =>
  (operations) =>
    admission.requireReservedUse(operations, response);
/** A caller may be gone before a stream begins, and then nothing reads it to its end. */
const whenGone =
  (response: ServerResponse, admission: Admission): GraphqlCtx['onGone'] =>
  (run) => {
    // Only an event stream asks for this.
    admission.release(response);
    if (response.destroyed) run();
    else response.once('close', run);
  };

/** Every request has a context of its own, so it need not be copied. `Object.assign` would take several times as long. */
export function toGraphqlCtx(common: Ctx, response: ServerResponse, parts: GraphqlContextParts): GraphqlCtx {
  const { admission, maxCost } = parts;
  const ctx = common as GraphqlCtx;
  ctx.maxCost = maxCost;
  ctx.setHeader = headerSetter(response);
  ctx.onGone = whenGone(response, admission);
  ctx.onError = errorReporter(response);
  ctx.requireCapacity = capacityCheck(response, admission);
  ctx.reportMemory = oneReadAtATime(ctx.reportMemory, () => response.destroyed);
  return ctx;
}
