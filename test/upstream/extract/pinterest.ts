import type { Operation } from '../facts.ts';
import { repository, writeFacts } from './facts.ts';
import { createReader, type Document } from './openapi.ts';

const used = `
get  /ad_accounts
get  /ad_accounts/{ad_account_id}/analytics
get  /ad_accounts/{ad_account_id}/targeting_analytics
get  /ad_accounts/{ad_account_id}/reports
post /ad_accounts/{ad_account_id}/reports
get  /ad_accounts/{ad_account_id}/campaigns
post /ad_accounts/{ad_account_id}/campaigns
patch /ad_accounts/{ad_account_id}/campaigns
get  /ad_accounts/{ad_account_id}/campaigns/{campaign_id}
get  /ad_accounts/{ad_account_id}/campaigns/analytics
get  /ad_accounts/{ad_account_id}/campaigns/targeting_analytics
get  /ad_accounts/{ad_account_id}/ad_groups
post /ad_accounts/{ad_account_id}/ad_groups
patch /ad_accounts/{ad_account_id}/ad_groups
get  /ad_accounts/{ad_account_id}/ad_groups/{ad_group_id}
get  /ad_accounts/{ad_account_id}/ad_groups/analytics
get  /ad_accounts/{ad_account_id}/ad_groups/targeting_analytics
get  /ad_accounts/{ad_account_id}/ads
post /ad_accounts/{ad_account_id}/ads
patch /ad_accounts/{ad_account_id}/ads
get  /ad_accounts/{ad_account_id}/ads/{ad_id}
get  /ad_accounts/{ad_account_id}/ads/analytics
get  /ad_accounts/{ad_account_id}/ads/targeting_analytics
get  /boards
post /boards
get  /boards/{board_id}/pins
post /pins
get  /pins/{pin_id}
delete /pins/{pin_id}
post /oauth/token
get  /user_account
get /resources/targeting/{targeting_type}
`;

/** The arguments are a clone of pinterest/api-description. */
const repo = repository(process.argv[2] ?? '');
const document = JSON.parse(repo.read('v5/openapi.json')) as Document;
const reader = createReader(document);
const operations: Record<string, Operation> = {};
for (const line of used.trim().split('\n')) {
  const [method = '', path = ''] = line.split(/\s+/);
  operations[`${method.toUpperCase()} /v5${path}`] = reader.operation(path, method);
}
const { pinterest_oauth2: consent } = document.components['securitySchemes'] ?? {};
writeFacts('pinterest', {
  sources: [
    {
      name: 'pinterest/api-description, v5/openapi.json',
      version: `${document.info.version}, commit ${repo.commit}`,
      date: repo.date,
      proves: 'paths, parameters, bodies, enums, limits, scopes',
    },
  ],
  operations,
  $defs: reader.defs,
  scopes: Object.keys(consent.flows.authorizationCode.scopes),
});
