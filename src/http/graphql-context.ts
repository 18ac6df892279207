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

/** Every request has a context of its own, so it need not be copied. `Object.assign` would take several times as long. */
export function toGraphqlCtx(common: Ctx, response: ServerResponse, parts: GraphqlContextParts): GraphqlCtx {
  const { admission, maxCost } = parts;
  const ctx = common as GraphqlCtx;
  ctx.maxCost = maxCost;
  ctx.setHeader = (name, value) => void response.setHeader(name, value);
  // A caller may be gone before a stream begins, and then nothing reads it to its end.
  ctx.onGone = (run) => {
    // Only an event stream asks for this.
    admission.release(response);
    if (response.destroyed) run();
    else response.once('close', run);
  };
  ctx.onError = (errorCode) => addRequestFields(response, { errorCode });
  ctx.requireCapacity = (operations) => admission.requireReservedUse(operations, response);
  ctx.reportMemory = oneReadAtATime(ctx.reportMemory, () => response.destroyed);
  return ctx;
}
