import { checkAdGroup, checkAdGroupCriterion, checkCampaignCriterion } from './ad-groups.ts';
import { checkAd, checkAsset } from './ads.ts';
import { checkBudget, checkCampaign } from './campaigns.ts';
import { changed, changedAd, removed } from './changes.ts';
import { AdsError, elements, failureOf, newRequestId, refusal, type PathElement, type Problem } from './errors.ts';
import type { Customer, Resource, SandboxState } from './state.ts';
import { kindNames, kinds, mutateAll, mutateOf, type Kind } from './resources.ts';
import { isObject, read, snake, type Fields } from './shapes.ts';
import { show } from './serialize.ts';
import { broken, stage, type Draft, type Staged } from './resolve-temp-names.ts';

export interface Operation {
  kind: Kind;
  /** `create`, `update` with its mask, or `remove`. */
  body: Fields;
  path: PathElement[];
  /** It changes the content of an ad. */
  isContent?: boolean;
}

export interface Place {
  sandbox: SandboxState;
  customer: Customer;
  version: string;
}

const checks: Record<Kind, (draft: Draft) => void> = {
  campaignBudgets: checkBudget,
  campaigns: checkCampaign,
  campaignCriteria: checkCampaignCriterion,
  adGroups: checkAdGroup,
  adGroupCriteria: checkAdGroupCriterion,
  assets: checkAsset,
  adGroupAds: checkAd,
};

/** `googleAds:mutate`: operations of all kinds. */
export function mutateEverything(place: Place, body: unknown): Fields {
  const request = read(mutateAll, body);
  const operations = ((request['mutateOperations'] ?? []) as Fields[]).map((entry, index): Operation => {
    const kind = kindNames.find((name) => `${kinds[name].one}Operation` in entry);
    const path: PathElement[] = [{ fieldName: 'mutate_operations', index }];
    if ('adOperation' in entry) {
      const body = entry['adOperation'] as Fields;
      return { kind: 'adGroupAds', isContent: true, body, path: [...path, { fieldName: 'ad_operation' }] };
    }
    if (kind === undefined) throw refusal('requestError.OPERATION_REQUIRED', 400, { path });
    const name = `${kinds[kind].one}Operation`;
    return { kind, body: entry[name] as Fields, path: [...path, { fieldName: snake(name) }] };
  });
  const { results, partialFailureError } = run(place, request, operations);
  if (!results) return {};
  const responses = results.map((result, index) => {
    const { kind = 'campaigns', isContent = false } = operations[index] ?? {};
    return result ? { [isContent ? 'adResult' : `${kinds[kind].one}Result`]: result } : {};
  });
  return { mutateOperationResponses: responses, ...(partialFailureError && { partialFailureError }) };
}

/** The mutate of one kind, such as `assets:mutate`. */
export function mutateKind(place: Place, kind: Kind, body: unknown): Fields {
  const request = read(mutateOf(kind), body);
  const operations = ((request['operations'] ?? []) as Fields[]).map((entry, index): Operation => ({
    kind,
    body: entry,
    path: [{ fieldName: 'operations', index }],
  }));
  const { results, partialFailureError } = run(place, request, operations);
  if (!results) return {};
  return {
    results: results.map((result) => result ?? {}),
    ...(partialFailureError && { partialFailureError }),
  };
}

interface Outcome {
  results?: (Fields | undefined)[];
  partialFailureError?: Fields;
}

function run(place: Place, request: Fields, operations: Operation[]): Outcome {
  requireAllowed(place, operations);
  const staged = stage(place.sandbox);
  const problems: Problem[] = [];
  const results = operations.map((operation) => {
    try {
      const resource = apply(place, staged, operation);
      const isWhole = request['responseContentType'] === 'MUTABLE_RESOURCE';
      const whole = isWhole ? { [kinds[resource.kind].one]: show(place.sandbox, resource) } : {};
      return { resourceName: resource.name, ...whole };
    } catch (error) {
      if (!(error instanceof AdsError)) throw error;
      problems.push(...error.problems);
      noteFailure(staged, operation);
      return undefined;
    }
  });
  const isPartial = request['partialFailure'] === true;
  const shown = place.customer.hidesErrors ? problems.map(unpublished) : problems;
  if (problems.length > 0 && !isPartial) throw new AdsError(shown);
  if (request['validateOnly'] === true) return {};
  staged.keep();
  if (problems.length === 0) return { results };
  const message = 'Multiple errors in request.';
  const details = [failureOf(shown, place.version, newRequestId())];
  return { results, partialFailureError: { code: 3, message, details } };
}

/** How an older version reports a newer code. */
const unpublished = ({ code, ...rest }: Problem): Problem => {
  const [family = '', name = ''] = code.split('.');
  const unpublishedErrorCode = `${family.charAt(0).toUpperCase()}${family.slice(1)}.${name}`;
  return { ...rest, code: 'requestError.UNKNOWN', message: undefined, details: { unpublishedErrorCode } };
};

/** Records a failed resource, so that its children report it. */
function noteFailure(staged: Staged, { body }: Operation): void {
  const name = (body['create'] as Fields | undefined)?.['resourceName'];
  if (typeof name === 'string' && !staged.temporary.has(name)) staged.temporary.set(name, undefined);
}

function requireAllowed({ sandbox, customer }: Place, operations: Operation[]): void {
  if (operations.length === 0) throw refusal('fieldError.REQUIRED', 400, { path: elements('mutate_operations') });
  if (operations.length > 10_000) throw refusal('requestError.TOO_MANY_MUTATE_OPERATIONS');
  if (customer.access === 'READ_ONLY') throw refusal('authorizationError.ACTION_NOT_PERMITTED', 403);
  const [first] = operations;
  if (customer.isManager) {
    throw refusal('operationAccessDeniedError.CREATE_OPERATION_NOT_PERMITTED', 400, { path: first?.path });
  }
  if (sandbox.undeclared(customer.id).length === 0) return;
  const other = operations.find((operation) => !isDeclaring(operation));
  if (!other) return;
  throw refusal('mutateError.EU_POLITICAL_ADVERTISING_DECLARATION_REQUIRED', 400, { path: other.path });
}

const isDeclaring = ({ kind, body }: Operation): boolean =>
  kind === 'campaigns' && isObject(body['update']) && 'containsEuPoliticalAdvertising' in body['update'];

function apply(place: Place, staged: Staged, operation: Operation): Resource {
  const { body, path } = operation;
  const way = ['create', 'update', 'remove'].find((name) => name in body);
  if (way === undefined) throw refusal('requestError.OPERATION_REQUIRED', 400, { path });
  const draft: Draft = {
    sandbox: place.sandbox,
    staged,
    customer: place.customer,
    kind: operation.kind,
    fields: {},
    path: [...path, { fieldName: way }],
  };
  if (way === 'remove') return removed(draft, String(body['remove']));
  if (operation.isContent) return changedAd(draft, body, checks[operation.kind]);
  if (way === 'update') return changed(draft, body, checks[operation.kind]);
  return created(draft, body);
}

function created(draft: Draft, body: Fields): Resource {
  const { kind, staged } = draft;
  if (body['updateMask'] !== undefined) throw broken(draft, 'fieldMaskError.FIELD_MASK_NOT_ALLOWED');
  const { resourceName, ...fields } = body['create'] as Fields;
  rejectOutputOnly(draft, fields);
  if (resourceName !== undefined) checkTemporary(draft, String(resourceName));
  draft.fields = fields;
  checks[kind](draft);
  const resource = draft.same === undefined ? newResource(draft) : (staged.get(draft.same) as Resource);
  staged.put(resource);
  if (resourceName !== undefined) staged.temporary.set(String(resourceName), resource.name);
  return resource;
}

function rejectOutputOnly(draft: Draft, fields: Fields): void {
  const output = kinds[draft.kind].shape.output ?? [];
  const odd = Object.keys(fields).find((name) => output.includes(name));
  if (odd === undefined) return;
  // The platform itself fails on this field.
  if (odd === 'biddingStrategyType') throw new AdsError([{ code: 'internalError.INTERNAL_ERROR' }], 500);
  const code = odd === 'id' ? 'newResourceCreationError.CANNOT_SET_ID_FOR_CREATE' : 'fieldError.VALUE_MUST_BE_UNSET';
  throw broken(draft, code, { field: snake(odd), trigger: fields[odd] });
}

/** A temporary name has a negative number that is unique in the request; criteria and ads cannot have one. */
function checkTemporary(draft: Draft, name: string): void {
  const { kind, staged, customer } = draft;
  const why = { field: 'resource_name', trigger: name };
  if (/Criteria$|^adGroupAds$/.test(kind)) throw broken(draft, 'mutateError.INCONSISTENT_FIELD_VALUES', why);
  const [, customerId, given, id = ''] = /^customers\/(\d+)\/(\w+)\/(-?\d+)$/.exec(name) ?? [];
  if (given !== kind || customerId !== customer.id) throw broken(draft, 'requestError.RESOURCE_NAME_MALFORMED', why);
  if (!id.startsWith('-')) throw broken(draft, 'newResourceCreationError.CANNOT_SET_ID_FOR_CREATE', why);
  const isTaken = staged.temporaryIds.has(id);
  staged.temporaryIds.add(id);
  if (isTaken) throw broken(draft, 'newResourceCreationError.DUPLICATE_TEMP_IDS', why);
}

function newResource({ sandbox, kind, customer, fields, staged }: Draft): Resource {
  const isCriterion = kind === 'campaignCriteria' || kind === 'adGroupCriteria';
  const id = isCriterion ? String(fields['criterionId'] ?? sandbox.newId('criteria')) : sandbox.newId(kind);
  const parent =
    isCriterion || kind === 'adGroupAds' ? staged.get(String(fields['campaign'] ?? fields['adGroup'])) : undefined;
  const name = `customers/${customer.id}/${kind}/${parent ? `${parent.id}~` : ''}${id}`;
  return { name, kind, customerId: customer.id, id, fields: isCriterion ? { ...fields, criterionId: id } : fields };
}
