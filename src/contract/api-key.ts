import { z } from 'zod';
import { BudgetLimits, BudgetLimitsInput } from './budget-limits.ts';
import { InstantOut, Line, ObjectId } from './common.ts';
import { withLimits } from './limits.ts';

export const KeyScope = z
  .enum(['full', 'profiles'])
  .meta({ id: 'KeyScope', description: '`full` can access all profiles, `profiles` only the named ones' });
export const KeyPermission = z
  .enum(['read-write', 'read'])
  .meta({ id: 'KeyPermission', description: '`read` allows only GET requests, queries and subscriptions' });

const record = {
  id: ObjectId,
  name: z.string().describe('The name its owner gave it'),
  keyPreview: z.string().describe('First 11 and last 8 characters, to recognise it by'),
  scope: KeyScope,
  profileIds: z.array(ObjectId).describe('The profiles accessible to a key of scope `profiles`'),
  permission: KeyPermission,
  expiresAt: InstantOut.nullable().describe('When it expires; null means never'),
  budgetLimits: BudgetLimits.nullable().describe('The highest budgets that it can set; null without limits'),
  createdAt: InstantOut.describe('When it was created'),
  lastUsedAt: InstantOut.nullable().describe('Last use, to the minute; null means never'),
};

export const ApiKey = z.strictObject(record).meta({ id: 'ApiKey', description: 'An API key, without the key itself' });
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = z
  .strictObject({
    ...record,
    key: z.string().optional().describe('The full key, returned only once; absent when a call is replayed'),
  })
  .meta({ id: 'NewApiKey', description: 'A newly created API key' });
export type NewApiKey = z.infer<typeof NewApiKey>;

const KeyName = withLimits(Line.max(100), 'Display name');

export const CreateApiKeyInput = z
  .strictObject({
    name: KeyName,
    expiresIn: withLimits(
      z.int().min(1).max(3650).optional(),
      'Days until the key expires, no later than the key that creates it; if omitted, it expires with that key',
    ),
    scope: KeyScope.default('full'),
    profileIds: withLimits(
      z.array(ObjectId).min(1).max(100).optional(),
      'Own profiles; required for scope `profiles`, rejected for any other',
    ),
    permission: KeyPermission.default('read-write'),
    budgetLimits: BudgetLimitsInput.optional().describe('The highest budgets that the key can set'),
  })
  .superRefine(
    (input, check) => {
      const { scope, profileIds } = input as Partial<typeof input>;
      const issue = (code: string, message: string): void =>
        check.addIssue({ code: 'custom', path: ['profileIds'], params: { code }, message });
      if (scope === 'profiles' && !profileIds) issue('missing_required_field', 'is required when scope is profiles');
      if (scope !== 'profiles' && profileIds)
        issue('invalid_field_value', 'is only for scope profiles; set scope: profiles to restrict the key');
    },
    { when: () => true },
  )
  .meta({ id: 'CreateApiKeyInput', description: 'Permissions of a new API key' });
export type CreateApiKeyInput = z.output<typeof CreateApiKeyInput>;

export const CreateApiKeyPayload = z
  .strictObject({ message: z.string().describe('Human-readable message'), apiKey: NewApiKey })
  .meta({ id: 'CreateApiKeyPayload', description: 'The new key, returned in full only once' });
export type CreateApiKeyPayload = z.infer<typeof CreateApiKeyPayload>;

export const SetApiKeyBudgetLimitsPayload = z
  .strictObject({ apiKey: ApiKey })
  .meta({ id: 'SetApiKeyBudgetLimitsPayload', description: 'The key after the change' });
export type SetApiKeyBudgetLimitsPayload = z.infer<typeof SetApiKeyBudgetLimitsPayload>;

export const ListApiKeysResult = z
  .strictObject({ apiKeys: z.array(ApiKey) })
  .meta({ id: 'ListApiKeysResult', description: 'All keys that are not revoked, newest first' });
export type ListApiKeysResult = z.infer<typeof ListApiKeysResult>;

export const RevokeApiKeyInput = z.strictObject({ keyId: ObjectId }).meta({ id: 'RevokeApiKeyInput' });
export type RevokeApiKeyInput = z.output<typeof RevokeApiKeyInput>;

export const RotateApiKeyInput = z
  .strictObject({
    keyId: ObjectId,
    overlapHours: withLimits(
      z.int().min(0).max(168).default(24),
      'Hours that the old key stays valid, never beyond its own expiry',
    ),
  })
  .meta({ id: 'RotateApiKeyInput', description: 'How long the old key stays valid' });
export type RotateApiKeyInput = z.output<typeof RotateApiKeyInput>;

export const RotateApiKeyPayload = z
  .strictObject({
    message: z.string().describe('Human-readable message'),
    apiKey: NewApiKey,
    previousExpiresAt: InstantOut.describe('When the old key expires'),
  })
  .meta({ id: 'RotateApiKeyPayload', description: 'The new key, returned in full only once' });
export type RotateApiKeyPayload = z.infer<typeof RotateApiKeyPayload>;
