import type { Reply } from '../platform.ts';
import { badRequest, notFound } from './errors.ts';
import { ownCampaign } from './lookups.ts';
import { parseParam, recordParam } from './restli.ts';
import { noContent, ok, requireScope, unsupported, type Asked } from './request.ts';
import { filled, isRecord, oneOf, record, requireShape, urn, type Fields, type Rule } from './shape.ts';
import { urnOf } from './state.ts';

const keyShape = record({
  fields: { adEntity: record({ fields: { sponsoredCampaign: urn('sponsoredCampaign') } }) },
  required: ['adEntity'],
});

const dynamicValue = oneOf(
  'ACCOUNT_ID',
  'ACCOUNT_NAME',
  'CAMPAIGN_GROUP_ID',
  'CAMPAIGN_GROUP_NAME',
  'CAMPAIGN_ID',
  'CAMPAIGN_NAME',
  'CREATIVE_ID',
  'CREATIVE_NAME',
);

const mapOf =
  (rule: Rule): Rule =>
  (value, path) =>
    isRecord(value)
      ? Object.entries(value).flatMap(([key, entry]) => rule(entry, `${path}/${key}`))
      : [`ERROR :: ${path} :: ${JSON.stringify(value)} cannot be coerced to Map`];

const shape = record({
  fields: { dynamicValueParameters: mapOf(dynamicValue), customValueParameters: mapOf(filled(500)) },
});

/** `PUT /adTrackingParameters/(adEntity:(sponsoredCampaign:...))` replaces them; keys that a landing page has too stay doubled. */
export function adTrackingParameters(asked: Asked): Reply {
  const { sandbox, parts, verb, json } = asked;
  requireScope(asked, 'rw_ads', ...(verb === 'GET' ? ['r_ads'] : []));
  const key = recordParam(parseParam(parts[1] ?? ''));
  if (!key) throw badRequest('Syntax exception in path variables', 'ILLEGAL_ARGUMENT');
  requireShape(keyShape, key);
  const name = urnOf(ownCampaign(asked, (key['adEntity'] as Fields)['sponsoredCampaign']));
  const stored = sandbox.tracking.get(name);
  if (verb === 'GET') {
    if (!stored) throw notFound(parts[1] ?? '');
    return ok({ adEntity: { sponsoredCampaign: name }, ...stored });
  }
  if (verb !== 'UPDATE') throw unsupported(asked);
  requireShape(shape, json);
  sandbox.tracking.put(name, json as Fields);
  return noContent();
}
