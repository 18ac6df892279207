import {
  ApiKey,
  CreateApiKeyInput,
  CreateApiKeyResult,
  RevokeApiKeyInput,
  RotateApiKeyInput,
  RotateApiKeyResult,
} from '../contract/api-key.ts';
import { Success } from '../contract/common.ts';
import { createApiKey } from '../services/api-keys/create-api-key.ts';
import { listApiKeys } from '../services/api-keys/list-api-keys.ts';
import { revokeApiKey } from '../services/api-keys/revoke-api-key.ts';
import { rotateApiKey } from '../services/api-keys/rotate-api-key.ts';
import { builder } from './builder.ts';
import { fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

/** The full key is shown once; a replay of the answer goes without it. */
const secrets = ['key'];

builder.queryField('apiKeys', (t) =>
  t.field({
    type: [objectType(ApiKey)],
    description: 'All API keys of the user that are not revoked, newest first. Needs a key of scope `full`.',
    resolve: async (_root, _args, ctx) => (await listApiKeys(ctx)).apiKeys,
  }),
);

builder.mutationField('createApiKey', (t) =>
  t.field({
    type: objectType(CreateApiKeyResult),
    nullable: true,
    description: 'Makes an API key. The full key is in this answer and never again.',
    args: t.validate(inputArgs(t, CreateApiKeyInput), fromArgs(CreateApiKeyInput, { dropNulls: true })),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input, secrets }, (id) => createApiKey(ctx, parsed(CreateApiKeyInput, input), id)),
  }),
);

builder.mutationField('revokeApiKey', (t) =>
  t.field({
    type: objectType(Success),
    nullable: true,
    description: 'Ends a key: it is refused on the next request in every process.',
    args: t.validate(inputArgs(t, RevokeApiKeyInput, ['keyId']), fromArgs(RevokeApiKeyInput)),
    resolve: (_root, input, ctx, info) => mutate(ctx, { info, input }, () => revokeApiKey(ctx, input)),
  }),
);

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    type: objectType(RotateApiKeyResult),
    nullable: true,
    description: 'Makes a new key with the same settings; the old one lives on for `overlapHours`.',
    args: t.validate(inputArgs(t, RotateApiKeyInput, ['keyId']), fromArgs(RotateApiKeyInput, { dropNulls: true })),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input, secrets }, (id) => rotateApiKey(ctx, parsed(RotateApiKeyInput, input), id)),
  }),
);
