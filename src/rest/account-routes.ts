import { AccountResult, GetAccountInput, ListAccountsInput, ListAccountsResult } from '../contract/account.ts';
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
];
