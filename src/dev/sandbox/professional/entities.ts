import type { Reply } from '../platform.ts';
import { accountOf, allow, created, keyText, noContent, ok, unsupported, type Asked } from './request.ts';
import { campaignShape, checkCampaign } from './campaigns.ts';
import type { Check } from './checks.ts';
import { checkCreative, creativeShape, inlineShape, determineFormat } from './creatives.ts';
import { badParam, badRequest, bodyOf, notFound, RestError, unprocessable } from './errors.ts';
import { checkGroup, groupShape } from './groups.ts';
import { entityAt, urnOf, type AdAccount, type Entity, type Kind } from './state.ts';
import { patched } from './patch.ts';
import { addPost, dropPost } from './posts.ts';
import { projected, showEntity } from './read.ts';
import { idOf, listParam } from './restli.ts';
import { searchEntities } from './search.ts';
import { isRecord, requireShape, type Fields, type Rule } from './shape.ts';

interface Resource {
  kind: Kind;
  shape: Rule;
  check: Check;
  immutable: string[];
}

const readOnly = ['id', 'account', 'test', 'version', 'servingStatuses', 'changeAuditStamps'];
const readOnlyOfCreatives =
  'id account campaign content review isServing isTest servingHoldReasons createdAt createdBy lastModifiedAt lastModifiedBy'.split(
    ' ',
  );

const resources: Record<string, Resource> = {
  adCampaignGroups: { kind: 'group', shape: groupShape, check: checkGroup, immutable: readOnly },
  adCampaigns: {
    kind: 'campaign',
    shape: campaignShape,
    check: checkCampaign,
    // Unconfirmed: immutable fields other than objective and format.
    immutable: [...readOnly, 'campaignGroup', 'associatedEntity', 'type', 'objectiveType', 'format'],
  },
  creatives: { kind: 'creative', shape: creativeShape, check: checkCreative, immutable: readOnlyOfCreatives },
};

interface Place extends Resource {
  asked: Asked;
  account: AdAccount;
}

/** Campaign groups, campaigns and creatives of an ad account. */
export function handleEntities(asked: Asked): Reply {
  const [, accountId, name = '', rawKey] = asked.parts;
  const resource = resources[name];
  if (!resource) throw notFound(asked.path);
  const account = accountOf(asked, keyText(accountId), asked.method !== 'GET');
  const place: Place = { ...resource, asked, account };
  switch (asked.verb) {
    case 'CREATE':
      allow(asked);
      return created(keyOf(create(place, bodyIn(asked))));
    case 'BATCH_CREATE':
      return createMany(place);
    case 'ACTION':
      return createInline(place);
    case 'FINDER':
      return ok(searchEntities(asked, account, resource.kind));
    case 'BATCH_GET':
      return ok(getMany(place));
    case 'GET':
      allow(asked, 'fields');
      return ok(projected(showEntity(asked.sandbox, find(place, keyText(rawKey))), asked.params['fields']));
    case 'PARTIAL_UPDATE':
      return update(place, find(place, keyText(rawKey)));
    case 'DELETE':
      return remove(place, find(place, keyText(rawKey)));
    default:
      throw unsupported(asked);
  }
}

/** Creatives are keyed by URN, the others by number. */
const keyOf = (entity: Entity): string => (entity.kind === 'creative' ? urnOf(entity) : entity.id);

function find({ asked, account, kind }: Place, key: string): Entity {
  if (kind === 'creative' ? idOf(key, 'sponsoredCreative') === undefined : !/^\d+$/.test(key))
    throw badParam('id', `Cannot parse ${key} as a key`);
  const entity = entityAt(asked.sandbox, kind === 'creative' ? key : urnOf({ kind, id: key }), kind);
  if (entity?.accountId !== account.id) throw notFound(key);
  return entity;
}

function bodyIn({ json }: Asked): Fields {
  if (!isRecord(json)) throw badRequest('The body is not a JSON object');
  return json;
}

function create({ asked, account, kind, shape, check }: Place, body: unknown): Entity {
  const { sandbox, person } = asked;
  requireShape(shape, body);
  // Audience expansion is enabled by default.
  const fields = { ...(kind === 'campaign' && { audienceExpansionEnabled: true }), ...(body as Fields) };
  check({ sandbox, person, account }, fields);
  const now = Date.now();
  const entity: Entity = {
    id: sandbox.newId(200_300_000),
    kind,
    accountId: account.id,
    fields,
    createdAt: now,
    updatedAt: now,
    createdBy: person.id,
    version: 1,
  };
  sandbox.save(entity);
  if (kind === 'creative') determineFormat(sandbox, entity);
  return entity;
}

/** Elements succeed or fail individually. */
function createMany(place: Place): Reply {
  const { elements } = bodyIn(place.asked);
  if (!Array.isArray(elements)) throw badRequest('The body must be {"elements":[...]}');
  return ok({
    elements: elements.map((element) => {
      try {
        return { status: 201, id: keyOf(create(place, element)) };
      } catch (error) {
        if (error instanceof RestError) return { status: error.problem.status, error: bodyOf(error.problem) };
        throw error;
      }
    }),
  });
}

/** Creates a creative and its post. The format of the response is unconfirmed. */
function createInline(place: Place): Reply {
  const { asked, kind } = place;
  allow(asked, 'action');
  if (kind !== 'creative' || asked.params['action'] !== 'createInline') throw badParam('action');
  const { creative } = bodyIn(asked);
  requireShape(inlineShape, creative, '/creative');
  const { inlineContent, ...fields } = creative as Fields & { inlineContent: { post: unknown } };
  const post = addPost(asked, inlineContent.post);
  try {
    const made = create(place, { ...fields, content: { reference: post.urn } });
    return { ...created(urnOf(made)), status: 200, body: { value: { creative: urnOf(made) } } };
  } catch (error) {
    dropPost(asked.sandbox, post);
    throw error;
  }
}

function getMany(place: Place): Fields {
  const { asked, kind, account } = place;
  allow(asked, 'ids', 'fields');
  const [results, statuses, errors]: [Fields, Fields, Fields] = [{}, {}, {}];
  for (const key of listParam(asked.params, 'ids') ?? []) {
    const entity = entityAt(asked.sandbox, kind === 'creative' ? key : urnOf({ kind, id: key }), kind);
    statuses[key] = entity?.accountId === account.id ? 200 : 404;
    if (entity?.accountId === account.id)
      results[key] = projected(showEntity(asked.sandbox, entity), asked.params['fields']);
    else errors[key] = bodyOf(notFound(key).problem);
  }
  return { results, statuses, errors };
}

function update({ asked, account, shape, check, immutable, kind }: Place, before: Entity): Reply {
  const { sandbox, person } = asked;
  allow(asked);
  const fields = patched(before.fields, asked.json, immutable);
  requireShape(shape, fields);
  check({ sandbox, person, account, before }, fields);
  sandbox.save({ ...before, kind, fields, updatedAt: Date.now(), version: before.version + 1 });
  return noContent();
}

/** An entity that left DRAFT can only be marked for deletion, unless it is a creative in a draft. */
function remove({ asked }: Place, entity: Entity): Reply {
  const name = entity.kind === 'creative' ? 'intendedStatus' : 'status';
  const above = entityAt(asked.sandbox, entity.fields['campaign'], 'campaign');
  if (entity.fields[name] !== 'DRAFT' && above?.fields['status'] !== 'DRAFT')
    throw unprocessable(
      name,
      'only a DRAFT can be deleted; set PENDING_DELETION',
      'DELETE_ALLOWED_ONLY_FOR_DRAFT_STATUS',
    );
  asked.sandbox.save({ ...entity, isRemoved: true, updatedAt: Date.now() });
  return noContent();
}
