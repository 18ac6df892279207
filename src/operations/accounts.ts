import {
  AccountHealth,
  AccountResult,
  GetAccountInput,
  ListAccountsInput,
  ListAccountsResult,
} from '../contract/account.ts';
import { Success } from '../contract/common.ts';
import { accountHealth } from '../services/accounts/account-health.ts';
import { disconnectAccount } from '../services/accounts/disconnect-account.ts';
import { findAccount } from '../services/accounts/find-account.ts';
import { accountPage, listAccounts } from '../services/accounts/list-accounts.ts';
import { operation } from './operation.ts';

export const accountOperations = [
  operation({
    name: 'accounts',
    method: 'GET',
    path: '/v1/accounts',
    summary: 'List connected accounts',
    description: 'Returns the connected accounts visible to the API key, newest first.',
    input: ListAccountsInput,
    output: ListAccountsResult,
    errors: ['mutually_exclusive_fields'],
    graphql: { list: accountPage },
    run: listAccounts,
  }),
  operation({
    name: 'account',
    method: 'GET',
    path: '/v1/accounts/{accountId}',
    summary: 'Retrieve an account',
    description: 'Returns one connected account, or `account_not_found`.',
    input: GetAccountInput,
    output: AccountResult,
    errors: ['account_not_found'],
    graphql: { member: 'account' },
    run: findAccount,
  }),
  operation({
    name: 'disconnectAccount',
    method: 'DELETE',
    path: '/v1/accounts/{accountId}',
    summary: 'Disconnect an account',
    description:
      'Disconnects an account and erases its tokens. Its ads continue to run on the platform; connecting the account again keeps its id.',
    input: GetAccountInput,
    output: Success,
    errors: ['account_not_found'],
    weight: 2,
    run: disconnectAccount,
  }),
  operation({
    name: 'accountHealth',
    method: 'GET',
    path: '/v1/accounts/{accountId}/health',
    summary: 'Check the health of an account',
    description: 'Returns whether the connection of an account works, and the cause and remedy of each issue.',
    input: GetAccountInput,
    output: AccountHealth,
    errors: ['account_not_found'],
    run: accountHealth,
  }),
];
