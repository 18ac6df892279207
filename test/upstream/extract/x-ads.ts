import type { Operation, Schema } from '../facts.ts';
import { objectOf, repository, writeFacts } from './facts.ts';
import { oauthSource, tokenOperation } from './oauth.ts';

/** By the path that each section of the reference names. */
const used = `
GET /12/accounts
GET /12/accounts/:account_id/campaigns
POST /12/accounts/:account_id/campaigns
GET /12/accounts/:account_id/campaigns/:campaign_id
PUT /12/accounts/:account_id/campaigns/:campaign_id
DELETE /12/accounts/:account_id/campaigns/:campaign_id
GET /12/accounts/:account_id/funding_instruments
GET /12/accounts/:account_id/line_items
POST /12/accounts/:account_id/line_items
GET /12/accounts/:account_id/line_items/:line_item_id
PUT /12/accounts/:account_id/line_items/:line_item_id
DELETE /12/accounts/:account_id/line_items/:line_item_id
GET /12/accounts/:account_id/promotable_users
GET /12/accounts/:account_id/promoted_tweets
POST /12/accounts/:account_id/promoted_tweets
DELETE /12/accounts/:account_id/promoted_tweets/:promoted_tweet_id
GET /12/accounts/:account_id/tweets
POST /12/accounts/:account_id/tweet
POST /12/batch/accounts/:account_id/targeting_criteria
GET /12/targeting_criteria/interests
GET /12/targeting_criteria/languages
GET /12/targeting_criteria/locations
GET /12/stats/accounts/:account_id
GET /12/stats/accounts/:account_id/active_entities
GET /12/stats/accounts/:account_id/reach/campaigns
`
  .trim()
  .split('\n');

/** The argument is a clone of xdevplatform/docs. */
const repo = repository(process.argv[2] ?? '');
const files = ['campaign-management/reference', 'creatives/reference', 'analytics'];
const reference = files.map((file) => repo.read(`x-ads-api/${file}.mdx`)).join('\n');
const sections = reference.split(/^#### /m);

const scalars: Record<string, Schema> = {
  string: { type: 'string' },
  enum: { type: 'string' },
  int: { type: 'integer' },
  long: { type: 'integer' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
};

function parameterOf(type: string, text: string): Schema {
  const listed = /Possible values: ((?:`\w+`,? ?)+)/.exec(text)?.[1];
  const values = [...(listed ?? '').matchAll(/`(\w+)`/g)].map(([, value = '']) => value);
  const numeric = type === 'int' || type === 'long';
  const [, shortest, longest] = /length: (\d+), (\d+)/.exec(text) ?? [];
  const [, least, most] = /Min: (\d+), Max: (\d+)/.exec(text) ?? [];
  const one: Schema = {
    ...scalars[type],
    ...(values.length > 0 && { enum: numeric ? values.map(Number) : values }),
    ...(longest && { minLength: Number(shortest), maxLength: Number(longest) }),
    ...(numeric && most && { minimum: Number(least), maximum: Number(most) }),
  };
  return /comma-separated/.test(text) ? { type: 'array', items: one, style: 'commas' } : one;
}

/** The reference of the figures has tables instead of fields. */
function parametersInTable(section: string): Schema {
  const rows = [...section.matchAll(/^\| (\w[\w\\]*) {2}<br \/>_(\w+)_ \| (.*) \|$/gm)].map(
    ([, name = '', flag = '', text = '']) => ({ name: name.replaceAll('\\', ''), flag, text }),
  );
  const named = rows.filter(({ name }) => name !== 'account_id');
  return objectOf(
    Object.fromEntries(named.map(({ name, text }) => [name, tableParameter(text)])),
    named.filter(({ flag }) => flag === 'required').map(({ name }) => name),
  );
}

function tableParameter(text: string): Schema {
  const [, type = ''] = /Type: (\w+)/.exec(text) ?? [];
  const [, most] = /Up to (\d+) [\w ]*IDs/.exec(text) ?? [];
  const single = /whole hours/.test(text)
    ? { type: 'string', pattern: String.raw`^\d{4}-\d\d-\d\d(T\d\d:00:00Z)?$` }
    : { ...scalars[type], ...enumIn(text) };
  const isList = /comma-separated/.test(text);
  return isList ? { type: 'array', items: single, style: 'commas', ...(most && { maxItems: Number(most) }) } : single;
}

const enumIn = (text: string): Schema => {
  const listed = /Possible values: ((?:`\w+`,? ?)+)/.exec(text)?.[1];
  return listed ? { enum: [...listed.matchAll(/`(\w+)`/g)].map(([, value]) => value) } : {};
};

function parametersIn(section: string): Schema {
  if (!section.includes('<ParamField')) return parametersInTable(section);
  const fields = [...section.matchAll(/<ParamField query="(\w+)" type="(\w+)" ?([^>]*)>([^]*?)<\/ParamField>/g)];
  const properties = fields.map(([, name = '', type = '', , text = '']) => [name, parameterOf(type, text)]);
  const required = fields.filter(([, , , flag]) => flag === 'required').map(([, name = '']) => name);
  return objectOf(Object.fromEntries(properties), required);
}

function sectionOf(line: string): string {
  const [method = '', path = ''] = line.split(' ');
  const section = sections.find((text) => {
    const [, named = ''] = /`https:\/\/ads-api\.x\.com(\S+)`/.exec(text) ?? [];
    // The addresses of reach lack the version.
    return text.startsWith(`${method} `) && `/12${named.replaceAll('\\', '').replace(/^\/12/, '')}` === path;
  });
  if (section === undefined) throw new Error(`The reference has no ${line}`);
  return section;
}

const form = 'application/x-www-form-urlencoded';
function operationOf(line: string): [string, Operation] {
  const parameters = parametersIn(sectionOf(line));
  const name = line.replaceAll(/:(\w+)/g, '{$1}');
  if (line.includes('/batch/')) {
    const single = line.replace('/batch', '');
    const params = parametersIn(sectionOf(single)) as { properties: Record<string, Schema>; required?: string[] };
    params.properties['operator_type'] = { type: 'string', enum: ['EQ', 'GTE', 'LT', 'NE'] };
    // The samples of this section leave it out.
    params.required = params.required?.filter((field) => field !== 'operator_type');
    const item = parameters as { properties: Record<string, Schema> };
    item.properties['params'] = params as unknown as Schema;
    return [
      name,
      {
        type: 'application/json',
        body: { type: 'array', minItems: 1, maxItems: 500, items: item as unknown as Schema },
      },
    ];
  }
  return [name, /^(GET|DELETE) /.test(line) ? { query: parameters } : { type: form, body: parameters }];
}

/** Jobs take the parameters of a call, and segments; the reference shows them in examples only. */
const [, stats] = operationOf('GET /12/stats/accounts/:account_id');
const asked = stats.query as { properties: Record<string, Schema>; required: string[] };
const [, segments = ''] = /^\| Segmentation Type \|[^]*?\n((?:\|.*\n)+)/m.exec(reference) ?? [];
const segmentNames = [...segments.matchAll(/^\| `(\w+)\*?` \|/gm)].map(([, name]) => name);
const jobs = '/12/stats/jobs/accounts/{account_id}';
const jobOperations: Record<string, Operation> = {
  [`POST ${jobs}`]: {
    query: objectOf(
      {
        ...asked.properties,
        segmentation_type: { type: 'string', enum: segmentNames },
        country: { type: 'string' },
      },
      asked.required,
    ),
  },
  [`GET ${jobs}`]: {
    query: objectOf({ job_ids: { type: 'array', items: { type: 'string' }, style: 'commas', maxItems: 200 } }),
  },
  'GET /advertiser-api-async-analytics/{file}': {},
};

/** The metrics of each group. */
const metricsIn = (group: string): string[] => {
  const [, table = ''] = new RegExp(`^#### \`${group}\`\n([^]*?)(?=^####? )`, 'm').exec(reference) ?? [];
  return [...table.matchAll(/^\| `?([a-z][\w\\]+)`? \|/gm)].map(([, name = '']) => name.replaceAll('\\', ''));
};
const groups = ['ENGAGEMENT', 'BILLING', 'VIDEO', 'WEB_CONVERSION'];

const errors = repo.read('x-ads-api/fundamentals/error-codes-and-responses.mdx');
const operations: Record<string, Operation> = {
  ...Object.fromEntries(used.map(operationOf)),
  ...jobOperations,
  'GET /2/users/me': { query: objectOf({ 'user.fields': { type: 'string' }, expansions: { type: 'string' } }) },
  'POST /2/oauth2/token': tokenOperation('header'),
  'POST /2/oauth2/revoke': {
    type: form,
    body: objectOf({ token: { type: 'string' }, token_type_hint: { type: 'string' } }, ['token']),
  },
  // Their parameters are in the Authorization header.
  'POST /oauth/request_token': {},
  'POST /oauth/access_token': {},
};
const scopes = repo.read('fundamentals/authentication/oauth-2-0/authorization-code.mdx');
writeFacts('x-ads', {
  sources: [
    {
      name: 'xdevplatform/docs, x-ads-api and fundamentals/authentication',
      version: `Ads API 12, commit ${repo.commit}`,
      date: repo.date,
      proves: 'paths, parameters, types, values, limits, required parameters, error codes, scopes',
    },
    oauthSource,
  ],
  operations,
  $defs: {},
  selectable: Object.fromEntries(groups.map((group) => [group, metricsIn(group)])),
  errors: { code: [...errors.matchAll(/^\| \d+ \| `(\w+)` \|/gm)].map(([, code = '']) => code) },
  scopes: [
    ...new Set(
      [...scopes.matchAll(/\b(?<!%\d*)(\w+\.(?:read|write)|offline\.access)\b/g)].map(([, scope = '']) => scope),
    ),
  ],
});
