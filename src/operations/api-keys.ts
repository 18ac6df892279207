import {
  SetApiKeyBudgetLimitsPayload,
  CreateApiKeyInput,
  CreateApiKeyPayload,
  ListApiKeysResult,
  RevokeApiKeyInput,
  RotateApiKeyInput,
  RotateApiKeyPayload,
} from '../contract/api-key.ts';
import { SetApiKeyBudgetLimitsInput } from '../contract/budget-limits.ts';
import { Empty, Success } from '../contract/common.ts';
import { Viewer } from '../contract/viewer.ts';
import { createApiKey } from '../services/api-keys/create-api-key.ts';
import { listApiKeys } from '../services/api-keys/list-api-keys.ts';
import { revokeApiKey } from '../services/api-keys/revoke-api-key.ts';
import { rotateApiKey } from '../services/api-keys/rotate-api-key.ts';
import { setApiKeyBudgetLimits } from '../services/budget-limits/change-limits.ts';
import { findViewer } from '../services/users/find-viewer.ts';
import { operation } from './operation.ts';

const secrets = ['key'];

export const apiKeyOperations = [
  operation({
    name: 'viewer',
    method: 'GET',
    path: '/v1/me',
    summary: 'Retrieve the current user and key',
    description: 'Returns the user that the API key belongs to, the plan, and what the key may do.',
    input: Empty,
    output: Viewer,
    run: findViewer,
  }),
  operation({
    name: 'apiKeys',
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'List API keys',
    description:
      'Returns all API keys of the user that are not revoked, newest first and without the keys themselves. Requires a key with scope `full`.',
    input: Empty,
    output: ListApiKeysResult,
    errors: ['insufficient_permissions'],
    graphql: { member: 'apiKeys' },
    needsFullScope: true,
    run: listApiKeys,
  }),
  operation({
    name: 'createApiKey',
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Create an API key',
    description: 'Creates an API key. The full key is in this response and never shown again.',
    input: CreateApiKeyInput,
    output: CreateApiKeyPayload,
    status: 201,
    errors: ['api_key_limit_reached'],
    secrets,
    needsFullScope: true,
    run: createApiKey,
  }),
  operation({
    name: 'setApiKeyBudgetLimits',
    method: 'PUT',
    path: '/v1/api-keys/{keyId}/budget-limits',
    summary: 'Set the budget limits of an API key',
    description:
      'Replaces the highest budgets that an API key can set. Every process applies them from the next request on; running ads stay as they are. Raising or removing a limit requires a key without limits.',
    input: SetApiKeyBudgetLimitsInput,
    output: SetApiKeyBudgetLimitsPayload,
    errors: ['api_key_not_found'],
    needsFullScope: true,
    run: setApiKeyBudgetLimits,
  }),
  operation({
    name: 'revokeApiKey',
    method: 'DELETE',
    path: '/v1/api-keys/{keyId}',
    summary: 'Revoke an API key',
    description: 'Revokes an API key. Every process rejects it from the next request on.',
    input: RevokeApiKeyInput,
    output: Success,
    errors: ['api_key_not_found'],
    needsFullScope: true,
    run: revokeApiKey,
  }),
  operation({
    name: 'rotateApiKey',
    method: 'POST',
    path: '/v1/api-keys/{keyId}/rotate',
    summary: 'Rotate an API key',
    description: 'Creates a new API key with the same settings. The old key stays valid for `overlapHours`.',
    input: RotateApiKeyInput,
    output: RotateApiKeyPayload,
    status: 201,
    errors: ['api_key_not_found'],
    secrets,
    needsFullScope: true,
    run: rotateApiKey,
  }),
];
