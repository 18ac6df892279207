import { z } from 'zod';
import { Cursor, InstantOut, Limit, ObjectId, Page, Pagination } from './common.ts';
import { AccountPlatform } from './platforms.ts';

export const Account = z
  .strictObject({
    _id: ObjectId,
    platform: AccountPlatform,
    profileId: ObjectId,
    username: z.string().describe('Its handle at the platform'),
    displayName: z.string().describe('Its name at the platform'),
    profilePicture: z.string().nullable().describe('Address of the picture'),
    isActive: z.boolean().describe('False if it needs reauthorisation or is disconnected'),
    needsReconnect: z.boolean().describe('The platform no longer accepts the stored token'),
    adsConnected: z.boolean().describe('Ads can be created with it'),
    missingScopes: z
      .array(z.string())
      .describe('Scopes that calls need and the person did not grant; empty if the platform reports no scopes'),
    selectedPageName: z.string().nullable().describe('The page it represents, on platform A'),
    publicProfileName: z.string().nullable().describe('The public profile it represents'),
    selectedLocationId: z.string().nullable().describe('The default location of listing calls'),
    createdAt: InstantOut,
  })
  .meta({ id: 'Account', description: 'A connected account at a platform' });
export type Account = z.infer<typeof Account>;

export const ListAccountsInput = z
  .strictObject({
    page: Page,
    cursor: Cursor,
    limit: Limit,
    profileId: ObjectId.optional().describe('Only accounts of this profile'),
    platform: AccountPlatform.optional().describe('Only accounts of this platform'),
  })
  .meta({ id: 'ListAccountsInput' });
export type ListAccountsInput = z.output<typeof ListAccountsInput>;

export const ListAccountsResult = z
  .strictObject({ accounts: z.array(Account), pagination: Pagination })
  .meta({ id: 'ListAccountsResult' });
export type ListAccountsResult = z.infer<typeof ListAccountsResult>;

export const GetAccountInput = z.strictObject({ accountId: ObjectId }).meta({ id: 'GetAccountInput' });
export type GetAccountInput = z.output<typeof GetAccountInput>;

export const AccountResult = z.strictObject({ account: Account }).meta({ id: 'AccountResult' });
export type AccountResult = z.infer<typeof AccountResult>;

export const HealthStatus = z
  .enum(['healthy', 'attention', 'broken'])
  .meta({ id: 'HealthStatus', description: 'attention: it works, but see the issues; broken: nothing works with it' });

export const HealthIssueCode = z
  .enum([
    'token_expired',
    'token_expiring',
    'refresh_failing',
    'missing_permissions',
    'ads_not_connected',
    'location_not_selected',
    'ad_account_suspended',
  ])
  .meta({ id: 'HealthIssueCode', description: 'Type of a connection issue' });

export const HealthIssue = z
  .strictObject({
    code: HealthIssueCode,
    message: z.string().describe('Why, for people'),
    action: z.string().describe('What to do about it'),
    details: z
      .strictObject({ scopes: z.array(z.string()).describe('The scopes that are missing') })
      .meta({ id: 'HealthIssueDetails', description: 'Details of a health issue' })
      .optional()
      .describe('Present with `missing_permissions`'),
  })
  .meta({ id: 'HealthIssue', description: 'An issue of a connection' });

export const AccountHealth = z
  .strictObject({
    accountId: ObjectId,
    platform: AccountPlatform,
    status: HealthStatus,
    issues: z.array(HealthIssue).describe('All issues, most severe first'),
    tokenExpiresAt: InstantOut.nullable().describe('Null if it does not expire or the expiry is unknown'),
    renewsItself: z.boolean().describe('The token is refreshed before it expires'),
    lastRefreshedAt: InstantOut.nullable().describe('When the token was last refreshed'),
    scopes: z.array(z.string()).nullable().describe('Granted scopes; null if the platform does not report them'),
    needsReconnect: z.boolean().describe('The platform no longer accepts the stored token'),
    adsConnected: z.boolean().describe('Ads can be created with it'),
  })
  .meta({ id: 'AccountHealth', description: 'Health of a connection, with causes and suggested actions' });
export type AccountHealth = z.infer<typeof AccountHealth>;
