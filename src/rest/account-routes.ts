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
import { listAccounts } from '../services/accounts/list-accounts.ts';
import { route } from './route.ts';

export const accountRoutes = [
  route({
    name: 'accounts',
    method: 'GET',
    path: '/v1/accounts',
    summary: 'List connected accounts',
    description: 'Returns the connected accounts that the key can access, newest first.',
    input: ListAccountsInput,
    output: ListAccountsResult,
    run: listAccounts,
  }),
  route({
    name: 'account',
    method: 'GET',
    path: '/v1/accounts/{accountId}',
    summary: 'Retrieve an account',
    description: 'Returns one connected account.',
    input: GetAccountInput,
    output: AccountResult,
    errors: ['account_not_found'],
    run: findAccount,
  }),
  route({
    name: 'disconnectAccount',
    method: 'DELETE',
    path: '/v1/accounts/{accountId}',
    summary: 'Disconnect an account',
    description:
      'Disconnects an account and erases its tokens. The platform keeps running what was published or created before.',
    input: GetAccountInput,
    output: Success,
    errors: ['account_not_found'],
    run: disconnectAccount,
  }),
  route({
    name: 'accountHealth',
    method: 'GET',
    path: '/v1/accounts/{accountId}/health',
    summary: 'Check the health of an account',
    description: 'Reports whether the connection works, and for each issue its cause and what to do about it.',
    input: GetAccountInput,
    output: AccountHealth,
    errors: ['account_not_found'],
    run: accountHealth,
  }),
];
