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
    summary: 'The connected accounts that the key reaches',
    input: ListAccountsInput,
    output: ListAccountsResult,
    run: listAccounts,
  }),
  route({
    name: 'account',
    method: 'GET',
    path: '/v1/accounts/{accountId}',
    summary: 'One connected account',
    input: GetAccountInput,
    output: AccountResult,
    errors: ['account_not_found'],
    run: findAccount,
  }),
  route({
    name: 'disconnectAccount',
    method: 'DELETE',
    path: '/v1/accounts/{accountId}',
    summary: 'Disconnect an account; its tokens are erased',
    input: GetAccountInput,
    output: Success,
    errors: ['account_not_found'],
    run: disconnectAccount,
  }),
  route({
    name: 'accountHealth',
    method: 'GET',
    path: '/v1/accounts/{accountId}/health',
    summary: 'Whether a connection works, and if not why and what to do',
    input: GetAccountInput,
    output: AccountHealth,
    errors: ['account_not_found'],
    run: accountHealth,
  }),
];
