import type { Reply } from '../platform.ts';
import { allow, keyText, noContent, numberParam, ok, requireScope, unsupported, type Asked } from './request.ts';
import { dailyFloor } from './checks.ts';
import { badParam, badRequest, forbidden, notFound, unprocessable } from './errors.ts';
import {
  accountUrn,
  entityAt,
  organizationUrn,
  personUrn,
  urnOf,
  type AdAccount,
  type Belonging,
  type Entity,
} from './state.ts';
import { facets, targetingEntities, targetingEntityAt, type TargetingEntity } from './places.ts';
import { idOf, listParam, parseParam, recordParam, textParam } from './restli.ts';
import { isRecord, record, requireShape, urn, type Fields } from './shape.ts';
import { targeting } from './targeting.ts';

/** One page of elements, by `start` and `count`. */
function paged(asked: Asked, elements: Fields[], most = 100): Reply {
  const start = numberParam(asked.params, 'start', { least: 0, most: 1_000_000, default: 0 });
  const count = numberParam(asked.params, 'count', { least: 1, most, default: 10 });
  const links = start + count < elements.length ? [{ rel: 'next', type: 'application/json', href: asked.path }] : [];
  return ok({
    elements: elements.slice(start, start + count),
    paging: { start, count, total: elements.length, links },
  });
}

/** The organisations in which the user has a role. */
export function organizationAcls(asked: Asked): Reply {
  requireScope(asked, 'rw_organization_admin', 'r_organization_admin');
  if (asked.verb !== 'FINDER') throw unsupported(asked);
  allow(asked, 'q', 'state', 'role', 'start', 'count', 'fields', 'projection');
  const { q, state, role } = asked.params;
  if (q !== 'roleAssignee') throw badParam('q');
  const acls = asked.person.pages.map((page) => ({
    role: page.role,
    organization: organizationUrn(page.organizationId),
    roleAssignee: personUrn(asked.person.id),
    state: 'APPROVED',
  }));
  const isMeant = (acl: (typeof acls)[number]): boolean =>
    (state === undefined || state === acl.state) && (role === undefined || role === acl.role);
  return paged(asked, acls.filter(isMeant));
}

/** Name and handle; replaces the page look-ups that the documentation mentions without describing them. */
export function organizations(asked: Asked): Reply {
  requireScope(asked, 'rw_organization_admin', 'r_organization_admin');
  if (asked.verb !== 'GET') throw unsupported(asked);
  const id = keyText(asked.parts[1]);
  const organization = asked.sandbox.organizations.get(id);
  if (!organization) throw notFound(`organizations/${id}`);
  const { name } = organization;
  const vanityName = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return ok({ id: Number(id), localizedName: name, vanityName, $URN: organizationUrn(id) });
}

/** Locations, interests and languages: by typeahead, facet or URN. */
export function adTargetingEntities(asked: Asked): Reply {
  requireScope(asked, 'r_ads', 'rw_ads');
  const { params, verb } = asked;
  if (verb !== 'FINDER') throw unsupported(asked);
  const common = ['q', 'queryVersion', 'locale', 'start', 'count', 'fields'];
  if (params['q'] === 'urns') {
    allow(asked, 'urns', ...common);
    const found = (listParam(params, 'urns') ?? []).flatMap((name) => targetingEntityAt(name) ?? []);
    return paged(asked, found.map(shown));
  }
  allow(asked, 'facet', 'query', 'entityType', ...common);
  if (params['q'] !== 'typeahead' && params['q'] !== 'adTargetingFacet') throw badParam('q');
  const facet = textParam(params['facet']) ?? '';
  if (!facets.includes(facet)) throw badParam('facet');
  const ofFacet = targetingEntities.filter(({ facetUrn }) => facetUrn === facet);
  if (params['q'] === 'adTargetingFacet') return paged(asked, ofFacet.map(shown));
  const query = textParam(params['query'])?.trim().toLowerCase();
  if (!query) throw badParam('query', 'field is required');
  // Unconfirmed: responses without this version.
  if (params['queryVersion'] !== 'QUERY_USES_URNS') throw badParam('queryVersion');
  return paged(asked, typeahead(ofFacet, query).map(shown));
}

const shown = ({ urn: name, facetUrn, name: text }: TargetingEntity): Fields => ({ urn: name, facetUrn, name: text });

/** Names with this prefix, then those with a word that has it. */
function typeahead(entities: TargetingEntity[], query: string): TargetingEntity[] {
  const begins = (name: string): boolean => name.toLowerCase().startsWith(query);
  const within = entities.filter(({ name }) => !begins(name) && ` ${name.toLowerCase()}`.includes(` ${query}`));
  return [...entities.filter(({ name }) => begins(name)), ...within];
}

const associationShape = record({
  fields: { campaign: urn('sponsoredCampaign'), conversion: urn('llaPartnerConversion') },
  required: ['campaign', 'conversion'],
});

/** `PUT /campaignConversions/(campaign:...,conversion:...)` associates the two. */
export function campaignConversions(asked: Asked): Reply {
  const { sandbox, parts, verb, json } = asked;
  requireScope(asked, 'rw_ads', ...(verb === 'GET' ? ['r_ads'] : []));
  const key = recordParam(parseParam(parts[1] ?? ''));
  if (!key) throw badRequest('Syntax exception in path variables', 'ILLEGAL_ARGUMENT');
  requireShape(associationShape, key);
  const campaign = ownCampaign(asked, key['campaign']);
  const conversion = sandbox.conversions.get(String(key['conversion']).split(':').at(-1) ?? '');
  if (conversion?.accountId !== campaign.accountId) throw notFound(String(key['conversion']));
  const name = `${urnOf(campaign)} ${conversion.id}`;
  if (verb === 'GET') {
    if (!sandbox.associations.get(name)) throw notFound(parts[1] ?? '');
    return ok({ campaign: key['campaign'], conversion: key['conversion'] });
  }
  if (verb !== 'UPDATE') throw unsupported(asked);
  requireShape(associationShape, json);
  for (const field of ['campaign', 'conversion'])
    if (isRecord(json) && json[field] !== key[field])
      throw unprocessable(field, 'does not match the key of the request');
  sandbox.associations.put(name, true);
  sandbox.associations.put(urnOf(campaign), true);
  return noContent();
}

export function ownCampaign({ sandbox, person }: Asked, name: unknown): Entity {
  const campaign = entityAt(sandbox, name, 'campaign');
  if (!campaign) throw notFound(String(name));
  if (sandbox.accounts.get(campaign.accountId)?.personId !== person.id) throw forbidden(String(name));
  return campaign;
}

/** Conversion rules (`/conversions`) and lead forms (`/adForms`) of an account; reads only show that they exist. */
export function belongings(asked: Asked): Reply {
  requireScope(asked, 'r_ads', 'rw_ads');
  const { sandbox, verb, params, parts } = asked;
  const isForm = parts[0] === 'adForms';
  const all = isForm ? sandbox.forms : sandbox.conversions;
  if (verb === 'FINDER') {
    allow(asked, 'q', 'account', 'start', 'count');
    const account = ownAccount(asked, textParam(params['account']));
    return paged(
      asked,
      all
        .all()
        .filter(({ accountId }) => accountId === account.id)
        .map(showBelonging(isForm)),
    );
  }
  if (verb !== 'GET') throw unsupported(asked);
  allow(asked, 'account', 'fields');
  const key = keyText(parts[1]);
  const found = all.get(key.split(':').at(-1) ?? '');
  if (!found) throw notFound(key);
  ownAccount(asked, accountUrn(found.accountId));
  return ok(showBelonging(isForm)(found));
}

const showBelonging =
  (isForm: boolean) =>
  ({ id, accountId, name }: Belonging): Fields => ({
    id: Number(id),
    account: accountUrn(accountId),
    name,
    ...(isForm ? { status: 'PUBLISHED' } : { enabled: true, type: 'PURCHASE', conversionMethod: 'INSIGHT_TAG' }),
  });

function ownAccount({ sandbox, person }: Asked, name: string | undefined): AdAccount {
  const account = sandbox.accounts.get(idOf(name, 'sponsoredAccount') ?? '');
  if (!account) throw badParam('account');
  if (account.personId !== person.id) throw forbidden(String(name));
  return account;
}

function targetingIn({ params }: Asked): Fields {
  const criteria = recordParam(params['targetingCriteria']);
  if (!criteria) throw badParam('targetingCriteria', 'field is required');
  requireShape(targeting, criteria, '/targetingCriteria');
  return criteria;
}

/** Audience size of a targeting: invented, and growing with the targeting. */
export function audienceCounts(asked: Asked): Reply {
  requireScope(asked, 'r_ads', 'rw_ads');
  if (asked.params['q'] !== 'targetingCriteriaV2') throw badParam('q');
  const places = JSON.stringify(targetingIn(asked)).split('urn:li:geo:').length - 1;
  return ok({ elements: [{ active: 0, total: places * 1_250_000 }], paging: { start: 0, count: 10, links: [] } });
}

/** Limits of budgets and bids; invented except for the daily minimum. */
export function adBudgetPricing(asked: Asked): Reply {
  requireScope(asked, 'r_ads', 'rw_ads');
  if (asked.params['q'] !== 'criteriaV2') throw badParam('q');
  if (!/^CP[CMV]$/.test(textParam(asked.params['bidType']) ?? '')) throw badParam('bidType');
  if (textParam(asked.params['campaignType']) === undefined) throw badParam('campaignType');
  const { currency } = ownAccount(asked, textParam(asked.params['account']));
  targetingIn(asked);
  const amount = (times: number): Fields => ({
    amount: String(dailyFloor(currency) * times),
    currencyCode: currency,
  });
  const element = {
    bidLimits: { min: amount(0.2), max: amount(50) },
    dailyBudgetLimits: { min: amount(1), max: amount(1000), default: amount(5) },
    suggestedBid: { min: amount(0.4), max: amount(1.2), default: amount(0.8) },
  };
  return ok({ elements: [element], paging: { start: 0, count: 10, links: [] } });
}
