import { Account, AccountHealth, GetAccountInput, ListAccountsInput } from '../contract/account.ts';
import { Success } from '../contract/common.ts';
import { accountHealth } from '../services/accounts/account-health.ts';
import { disconnectAccount } from '../services/accounts/disconnect-account.ts';
import { findAccount } from '../services/accounts/find-account.ts';
import { listAccounts } from '../services/accounts/list-accounts.ts';
import { builder } from './builder.ts';
import { connectionOf, listArgs, listCost, pagedList } from './connection.ts';
import { argsOf, fromArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

const AccountConnection = connectionOf('Account', objectType(Account));

builder.queryField('accounts', (t) =>
  t.field({
    type: AccountConnection,
    description: 'The connected accounts that the key reaches, newest first.',
    args: listArgs(t, ListAccountsInput),
    complexity: listCost,
    resolve: (_root, args, ctx) =>
      pagedList(ListAccountsInput, args, async (input) => {
        const { accounts, pagination } = await listAccounts(ctx, input);
        return { nodes: accounts, total: pagination.total };
      }),
  }),
);

builder.queryField('account', (t) =>
  t.field({
    type: objectType(Account),
    description: 'One connected account; 404 `account_not_found` when the key does not reach it.',
    args: t.validate(argsOf(t, GetAccountInput), fromArgs(GetAccountInput)),
    resolve: async (_root, input, ctx) => (await findAccount(ctx, input)).account,
  }),
);

builder.queryField('accountHealth', (t) =>
  t.field({
    type: objectType(AccountHealth),
    description: 'Whether a connection works, and if not why and what to do.',
    args: t.validate(argsOf(t, GetAccountInput), fromArgs(GetAccountInput)),
    resolve: (_root, input, ctx) => accountHealth(ctx, parsed(GetAccountInput, input)),
  }),
);

builder.mutationField('disconnectAccount', (t) =>
  t.field({
    type: objectType(Success),
    nullable: true,
    description: 'Disconnects an account and erases its tokens; connecting it again keeps its id.',
    args: t.validate(argsOf(t, GetAccountInput), fromArgs(GetAccountInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => disconnectAccount(ctx, parsed(GetAccountInput, input))),
  }),
);
