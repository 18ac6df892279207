import { retryAfterIn } from '../../lib/retry-after.ts';
import { z } from 'zod';
import { isServerError, redact, serverErrorFault, unreadable, type Asked } from '../response.ts';
import { PlatformError, type PlatformFault } from '../error.ts';
import type { Answer } from '../http.ts';
import { namedScopes } from '../scopes.ts';
import { own } from '../../lib/own.ts';

const InputError = z.looseObject({ code: z.string().optional().catch(undefined), description: z.string().catch('') });
const inputErrors = z.array(InputError).catch([]);
/** What is wrong with single fields, and with fields because of others. */
const ErrorDetails = z
  .object({ inputErrors, conditionalInputErrors: inputErrors })
  .partial()
  .transform(({ inputErrors: own = [], conditionalInputErrors: conditional = [] }) => [...own, ...conditional])
  .catch([]);
const ErrorBody = z.object({
  status: z.number().optional().catch(undefined),
  code: z.union([z.string(), z.number()]).optional().catch(undefined),
  serviceErrorCode: z.number().optional().catch(undefined),
  message: z.string().optional(),
  errorDetails: ErrorDetails,
});

export const duplicatePost = 'DUPLICATE_POST';

/** A rejected write that may succeed later. */
const writeConflict = 409;

function faultOf(status: number, asked: Asked): PlatformFault {
  if (status === 401) return 'auth_expired';
  if (status === 429) return 'rate_limited';
  if (status === 501) return 'rejected';
  if (status === writeConflict) return 'unavailable';
  if (isServerError(status)) return serverErrorFault(asked);
  return status === 404 ? 'not_found' : 'rejected';
}

const hints: Record<number, string> = {
  403: 'The connected user lacks a role on the ad account or the company page, or the app lacks the permission',
  426: 'The platform has ended the configured API version: set PLATFORM_F_VERSION to a newer one',
};

const hintsByCode: Record<string, string> = {
  CANNOT_UPDATE_BACKFILLED_CAMPAIGN_GROUPS: 'This is the default group of the ad account, which cannot be changed',
  BILLING_NOT_EDITABLE_FOR_LMS_ENTERPRISE: 'The budgets of this ad account belong to its contract with the platform',
  INSUFFICIENT_CAMPAIGN_GROUP_BUDGET: 'The ad sets of this campaign have larger budgets',
  AUDIENCE_SIZE_TOO_SMALL: 'The platform needs at least 300 people: include more places or exclude fewer',
};

/** Throws a PlatformError for an unsuccessful response. */
export function requireGood(answer: Answer, asked: Asked): void {
  const { status, headers, body } = answer;
  if (status < 300) return;
  const said = ErrorBody.safeParse(body);
  if (!said.success || (said.data.message === undefined && said.data.status !== status)) {
    throw unreadable('F', answer, asked);
  }
  const fault = faultOf(status, asked);
  // Some rejections contain nothing but the status.
  const words = redact(wordsOf(said.data) ?? `Refused with ${status}`, asked.token);
  const hint = own(hintsByCode, String(said.data.code)) ?? hints[status];
  const traceId = headers['x-li-uuid'];
  throw new PlatformError('F', fault, hint ? `${hint} (${words})` : words, {
    status,
    code: said.data.code ?? said.data.serviceErrorCode,
    subcode: said.data.serviceErrorCode,
    // Without a scope name the cause may also be a missing role.
    ...(status === 403 && { missingScopes: namedScopes('professional', words) }),
    message: words,
    traceId: typeof traceId === 'string' ? traceId : undefined,
    ...(fault === 'rejected' && { fields: rejectedFields(said.data) }),
    ...(fault === 'not_found' && { fields: missingFields(words) }),
    ...(fault === 'rate_limited' && { retryAfterSeconds: retryAfterIn(headers) ?? waitFor(words) }),
  });
}

/** Parses a successful response; an unreadable one may hide a created object. */
export function parseResponse<T>(schema: z.ZodType<T>, answer: Answer, asked: Asked): T {
  requireGood(answer, asked);
  const good = schema.safeParse(answer.body);
  if (good.success) return good.data;
  throw new PlatformError('F', serverErrorFault(asked), 'The platform returned an unreadable response', {
    status: answer.status,
  });
}

/** Quotas of calls are per day in UTC, that of metric values is per five minutes. */
const waitFor = (words: string): number =>
  /metric values|5 minutes/i.test(words) ? 330 : 86_400 - (Math.floor(Date.now() / 1000) % 86_400);

/** Platform field → our field path. */
const ourFields: Record<string, string> = {
  objectiveType: 'goal',
  optimizationTargetType: 'goal',
  dailyBudget: 'budgetAmount',
  totalBudget: 'budgetAmount',
  unitCost: 'bidAmount',
  runSchedule: 'endDate',
  start: 'startDate',
  end: 'endDate',
  targetingCriteria: 'countries',
  exclude: 'excludedCountries',
  politicalIntent: 'politicalAdvertising',
  associatedEntity: 'organizationId',
  author: 'organizationId',
  owner: 'organizationId',
  commentary: 'body',
  contentLandingPage: 'linkUrl',
  contentCallToActionLabel: 'callToAction',
  title: 'headline',
  description: 'longHeadline',
  content: 'imageUrl',
  destination: 'promotedObject.leadFormId',
  label: 'callToAction',
  dynamicValueParameters: 'urlParameters',
  customValueParameters: 'urlParameters',
  conversion: 'promotedObject.customConversionId',
  name: 'name',
};

/** Rejections that may name no field. */
const fieldsByCode: Record<string, string> = {
  BILLING_NOT_EDITABLE_FOR_LMS_ENTERPRISE: 'budgetAmount',
  INSUFFICIENT_CAMPAIGN_GROUP_BUDGET: 'budgetAmount',
  FIELD_CANNOT_BE_BOTH_IN_INCLUDED_AND_EXCLUDED_TARGETING: 'excludedCountries',
  AUDIENCE_SIZE_TOO_SMALL: 'countries',
};

/** Objects that callers reference by id, by the type in their URN. */
const namedByCallers: Record<string, string> = {
  llaPartnerConversion: 'promotedObject.customConversionId',
  adForm: 'promotedObject.leadFormId',
  organization: 'organizationId',
};

function missingFields(text: string): Record<string, string[]> | undefined {
  const field = namedByCallers[/urn:l[a-z]+:(\w+):/.exec(text)?.[1] ?? ''];
  return field ? { [field]: [text] } : undefined;
}

/** The text of several faults at once only points at the details. */
function wordsOf({ message, errorDetails }: z.infer<typeof ErrorBody>): string | undefined {
  const descriptions = errorDetails.flatMap(({ description }) => description || []);
  return descriptions.length > 1 ? descriptions.join('; ') : message;
}

/** Texts may change at any time, so the details come first. */
function rejectedFields(said: z.infer<typeof ErrorBody>): Record<string, string[]> | undefined {
  const { message = '', errorDetails } = said;
  const fields: Record<string, string[]> = {};
  for (const error of errorDetails) {
    const text = error.description || message;
    const field = [...pathsIn(error), ...pointersIn(text)].map(fieldAt).find((path) => path !== undefined);
    if (field) fields[field] = [...(fields[field] ?? []), text];
  }
  if (Object.keys(fields).length > 0) return fields;
  const field = pointersIn(message)
    .map(fieldAt)
    .find((path) => path !== undefined);
  if (field) return { [field]: [message] };
  const byCode = own(fieldsByCode, String(said.code));
  if (byCode) return { [byCode]: [message] };
  return message.includes(duplicatePost) ? { body: ['duplicates an earlier post; change it'] } : undefined;
}

/** The paths that a fault names: `input.inputPath.fieldPath`, or several of them in a conditional one. */
function pathsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'fieldPath' && typeof member === 'string' ? [member] : pathsIn(member),
  );
}

const pointersIn = (text: string): string[] => [...text.matchAll(/\/[A-Za-z/]+/g)].map(([pointer]) => pointer);

/** Our field of a path like `/Campaign/targetingCriteria/include`, by its deepest known part. */
const fieldAt = (path: string): string | undefined =>
  path
    .split(/[/.]/)
    .toReversed()
    .map((part) => own(ourFields, part))
    .find((field) => field !== undefined);
