import { ListActivityInput, ListActivityResult } from '../contract/activity.ts';
import { activityPage, listActivity } from '../services/activity/list-activity.ts';
import { operation } from './operation.ts';

export const activityOperations = [
  operation({
    name: 'activity',
    method: 'GET',
    path: '/v1/activity',
    summary: 'List changes',
    description:
      'Returns who created, changed, removed or revoked what and when, newest first: ads, ad sets, campaigns, budgets, API keys, webhooks, accounts, listings and emergency stops. A key restricted to profiles sees only the changes of their objects.',
    input: ListActivityInput,
    output: ListActivityResult,
    errors: ['mutually_exclusive_fields'],
    graphql: { list: activityPage },
    run: listActivity,
  }),
];
