import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Operation, Schema } from '../facts.ts';
import { objectOf, writeFacts } from './facts.ts';
import { oauthSource, tokenOperation } from './oauth.ts';

/** The argument is the unpacked Python package google-api-python-client, which contains Google's discovery documents. */
const folder = resolve(process.argv[2] ?? '', 'googleapiclient/discovery_cache/documents');
const documentOf = (name: string): any => JSON.parse(readFileSync(resolve(folder, `${name}.v1.json`), 'utf8'));
const information = documentOf('mybusinessbusinessinformation');
const accounts = documentOf('mybusinessaccountmanagement');
const release = process.argv[3] ?? '';

const $defs: Record<string, Schema> = {};

/** `Required.` and `Output only.` begin the descriptions of fields; a document says it in no other way. */
const begins = ({ description = '' }: any, word: string): boolean => description.startsWith(word);

function typeOf(document: any, schema: any, isRead: boolean): Schema {
  if (schema.$ref) return refer(document, schema.$ref, isRead);
  if (schema.type === 'array') return { type: 'array', items: typeOf(document, schema.items, isRead) };
  if (schema.type === 'object') return objectOf(propertiesOf(document, schema, isRead));
  if (schema.type === 'any') return {};
  const values = schema.enum?.filter((value: string) => !value.endsWith('_UNSPECIFIED'));
  if (values) return { type: 'string', enum: values };
  if (schema.format === 'int64') return { type: ['string', 'integer'], pattern: String.raw`^-?\d+$` };
  return { type: schema.type };
}

const propertiesOf = (document: any, { properties = {} }: any, isRead: boolean): Record<string, Schema> =>
  Object.fromEntries(
    Object.entries<any>(properties)
      .filter(([, field]) => isRead || !field.readOnly)
      .map(([name, field]) => [name, typeOf(document, field, isRead)]),
  );

function refer(document: any, name: string, isRead: boolean): Schema {
  if (!$defs[name]) {
    $defs[name] = {};
    const schema = document.schemas[name];
    const fields = Object.entries<any>(schema.properties);
    const required = fields.filter(([, field]) => begins(field, 'Required.')).map(([field]) => field);
    // A change of a location has the fields of its mask only.
    const isPartial = name === 'Location' || name === 'Attributes';
    Object.assign($defs[name], objectOf(propertiesOf(document, schema, isRead), isPartial ? [] : required));
  }
  return { $ref: `#/$defs/${name}` };
}

/** Field masks in JSON: dotted paths, separated by commas. */
function maskOf(name: string, isRead: boolean): Schema {
  const { properties } = information.schemas[name];
  const fields = Object.entries<any>(properties).filter(([, field]) => isRead || !field.readOnly);
  const words = fields.map(([field]) => field).join('|');
  return { type: 'string', pattern: String.raw`^(${words})(\.\w+)*(,(${words})(\.\w+)*)*$` };
}

function operationOf(document: any, resource: any, method: string, masks: Record<string, Schema> = {}): Operation {
  const { parameters = {}, request } = resource.methods[method];
  const query = Object.entries<any>(parameters).filter(([, parameter]) => parameter.location === 'query');
  const properties = query.map(([name, parameter]) => [name, masks[name] ?? typeOf(document, parameter, false)]);
  const required = query
    .filter(([, parameter]) => parameter.required || begins(parameter, 'Required.'))
    .map(([name]) => name);
  return {
    ...(query.length > 0 && { query: objectOf(Object.fromEntries(properties), required) }),
    ...(request && { type: 'application/json', body: refer(document, request.$ref, false) }),
  };
}

const { locations, attributes } = information.resources;
const locationRead = { readMask: maskOf('Location', true) };
const attributePaths = { type: 'string', pattern: String.raw`^attributes/\w+(,attributes/\w+)*$` };
const operations: Record<string, Operation> = {
  'GET /account/v1/accounts': operationOf(accounts, accounts.resources.accounts, 'list'),
  'GET /info/v1/accounts/{account_id}/locations': operationOf(
    information,
    information.resources.accounts.resources.locations,
    'list',
    locationRead,
  ),
  'GET /info/v1/locations/{location_id}': operationOf(information, locations, 'get', locationRead),
  'PATCH /info/v1/locations/{location_id}': operationOf(information, locations, 'patch', {
    updateMask: maskOf('Location', false),
  }),
  'GET /info/v1/locations/{location_id}/attributes': operationOf(information, locations, 'getAttributes'),
  'PATCH /info/v1/locations/{location_id}/attributes': operationOf(information, locations, 'updateAttributes', {
    attributeMask: attributePaths,
  }),
  'GET /info/v1/attributes': operationOf(information, attributes, 'list'),
  'POST /token': tokenOperation('body'),
};
writeFacts('google-business', {
  sources: [
    {
      name: 'Google discovery documents mybusinessbusinessinformation v1 and mybusinessaccountmanagement v1, in google-api-python-client',
      version: `revisions ${information.revision} and ${accounts.revision}, package ${release}`,
      date: String(information.revision).replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3'),
      proves: 'paths, parameters, fields, types, values, read-only and required fields',
    },
    oauthSource,
  ],
  operations,
  $defs,
});
