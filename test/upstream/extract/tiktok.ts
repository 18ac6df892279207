import type { Operation, Schema } from '../facts.ts';
import { objectOf, repository, writeFacts, type Repository } from './facts.ts';

const prefix = '/open_api/v1.3';
const used = `
ad/create ad/get ad/status/update ad/update adgroup/create adgroup/get adgroup/status/update adgroup/update advertiser/info
campaign/create campaign/get campaign/status/update campaign/update file/image/ad/upload file/video/ad/info file/video/ad/upload
identity/create identity/get oauth2/access_token oauth2/advertiser/get report/integrated/get tool/interest_category tool/language
tool/region
`
  .trim()
  .split(/\s+/);

/** The arguments are clones of tiktok/tiktok-business-api-sdk, bububa/tiktok-business and api-evangelist/tiktok-ads. */
const [sdk, go, registry] = [2, 3, 4].map((at) => repository(process.argv[at] ?? '')) as [
  Repository,
  Repository,
  Repository,
];

/** Enumerations by field: the official SDK has text for them, a public client names the values. */
const enumTypes = new Map<string, string>();
const structs = `
model/ad/create.go model/ad/creative.go model/ad/status_update.go model/ad/update.go model/adgroup/create.go model/adgroup/update.go
model/adgroup/status_update.go model/campaign/create.go model/campaign/update.go model/campaign/status_update.go
model/file/image/ad_upload.go model/file/video/ad_upload.go model/identity model/report/integrated_get.go model/tool/region.go
`
  .trim()
  .split(/\s+/);
for (const text of go.readAll(structs)) {
  for (const [, type = '', field = ''] of text.matchAll(/\[?\]?enum\.(\w+)\s+`json:"(\w+)/g))
    enumTypes.set(field, type);
}
const values = new Map<string, string[]>();
for (const text of go.readAll(['enum'])) {
  for (const [, type = '', value = ''] of text.matchAll(/(\w+) = "(\w+) ?"/g)) {
    values.set(type, [...(values.get(type) ?? []), value]);
  }
}

const $defs: Record<string, Schema> = {};
const scalars: Record<string, Schema> = {
  String: { type: 'string' },
  Number: { type: 'number' },
  Boolean: { type: 'boolean' },
  Blob: {},
  Object: {},
};

function typeOf(text: string, field: string): Schema {
  const list = /^\[(.+)\]$/.exec(text)?.[1];
  if (list) return { type: 'array', items: typeOf(list, field) };
  const listed = text === 'String' ? values.get(enumTypes.get(field) ?? '') : undefined;
  if (listed) return { type: 'string', enum: listed };
  const scalar = scalars[text];
  if (scalar) return scalar;
  if (!$defs[text]) {
    $defs[text] = {};
    Object.assign($defs[text], tableOf(sdk.read(`js_sdk/docs/${text}.md`)));
  }
  return { $ref: `#/$defs/${text}` };
}

/** The table of a model or of the parameters of an operation. */
function tableOf(text: string): Schema {
  const rows = [...text.matchAll(/^ ?\*\*(\w+)\*\* \| (.+?)\| .*\| ?(.*)$/gm)].filter(
    ([, name]) => name !== 'Access_Token',
  );
  const fields = rows.map(([, name = '', type = '']) => {
    const bare = type.replaceAll(/\*\*|\(\w+\.md\)/g, '').trim();
    // A link has brackets of its own around the name or the list.
    return [name, typeOf(type.includes('.md)') ? bare.slice(1, -1) : bare, name)];
  });
  const required = rows.filter(([, , , notes]) => notes?.includes('[required]')).map(([, name = '']) => name);
  return objectOf(Object.fromEntries(fields), required);
}

const documents = sdk
  .list('js_sdk/docs')
  .filter((file) => file.endsWith('Api.md'))
  .map((file) => sdk.read(file));

function operationOf(path: string): [string, Operation] {
  for (const text of documents) {
    const [, name, method] =
      new RegExp(String.raw`\[\*\*(\w+)\*\*\].* \| \*\*(\w+)\*\* ${prefix}/${path}/ `).exec(text) ?? [];
    if (!name || !method) continue;
    const section = text.split(`# **${name}**`)[1]?.split('<a name=')[0] ?? '';
    const table = tableOf(section) as { properties: Record<string, Schema> };
    const { body, ...rest } = table.properties;
    const type = /Content-Type\*\*: ([\w/-]+)/.exec(section)?.[1];
    return [
      `${method} ${prefix}/${path}/`,
      method === 'GET' ? { query: table } : { type, body: body ?? { ...table, properties: rest } },
    ];
  }
  throw new Error(`The SDK has no ${path}`);
}

const operations: Record<string, Operation> = {
  ...Object.fromEntries(used.map(operationOf)),
  // The official SDK lacks it.
  [`GET ${prefix}/user/info/`]: {},
};
// The official SDK sends all uploads as forms; the other one sends those by URL as JSON, as the portal shows.
for (const [name, operation] of Object.entries<Operation>(operations)) {
  if (name.endsWith('/upload/')) operation.type = ['multipart/form-data', 'application/json'];
}
// The SDK has text for them; the public client names those of the basic report.
const tagsOf = (path: string): string[] => [...go.read(path).matchAll(/`json:"(\w+)/g)].map(([, name = '']) => name);
const { query = {} } = operations[`GET ${prefix}/report/integrated/get/`] ?? {};
Object.assign(query['properties'] as object, {
  dimensions: { type: 'array', items: { enum: tagsOf('model/report/dimensions.go') } },
  metrics: { type: 'array', items: { enum: tagsOf('model/report/metrics.go') } },
});
const codes = sdk.read('python_sdk/business_api_client/tiktok_business/tiktok_code.py');
const portal = registry.read('errors/tiktok-ads-error-codes.yml');
const numbersIn = (text: string, pattern: RegExp): number[] =>
  [...text.matchAll(pattern)].map(([, code]) => Number(code));
writeFacts('tiktok', {
  sources: [
    {
      name: 'tiktok/tiktok-business-api-sdk, js_sdk/docs and tiktok_code.py',
      version: `commit ${sdk.commit}`,
      date: sdk.date,
      proves: 'paths, parameters, fields, types, required fields, error codes',
    },
    {
      name: 'bububa/tiktok-business (a public client that quotes the portal), enum, model',
      version: `commit ${go.commit}`,
      date: go.date,
      proves: 'values of enumerations, dimensions and metrics of reports, uploads as JSON, user/info; second hand',
    },
    {
      name: 'api-evangelist/tiktok-ads, errors (return codes of the portal)',
      version: `commit ${registry.commit}`,
      date: registry.date,
      proves: 'further error codes; second hand',
    },
  ],
  operations,
  $defs,
  errors: {
    code: [...new Set([...numbersIn(codes, /= (\d+)$/gm), ...numbersIn(portal, /^- code: (\d+)$/gm)])].toSorted(
      (a, b) => a - b,
    ),
  },
});
