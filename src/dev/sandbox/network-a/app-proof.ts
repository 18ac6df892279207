import { createHmac } from 'node:crypto';
import { secretOf } from '../oauth/clients.ts';
import type { Received } from '../platform.ts';
import { GraphError } from './errors.ts';
import type { SandboxState } from './state.ts';

/** Verifies the proof of a call if it has one; an app can require it. Returns the call without it. */
export function checkedProof(sandbox: SandboxState, request: Received): Received {
  const { appsecret_proof: inQuery, ...query } = request.query;
  const { appsecret_proof: inBody, ...body } = request.body;
  const proof = inBody ?? inQuery;
  const { requiresProof } = sandbox.app.get('all') ?? { requiresProof: false };
  if (proof === undefined && requiresProof)
    throw refused('API calls from the server require an appsecret_proof argument');
  if (proof !== undefined && proof !== proofOf(request.token ?? '')) {
    throw refused('Invalid appsecret_proof provided in the API argument');
  }
  return { ...request, query, body };
}

/** All tokens are issued to the one app. */
const proofOf = (token: string): string =>
  createHmac('sha256', secretOf('sandbox-app') ?? '')
    .update(token)
    .digest('hex');

const refused = (message: string): GraphError => new GraphError({ code: 100, message });
