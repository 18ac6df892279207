import { AppError, invalidInput, type ErrorCode, type ErrorExtras } from '../contract/error.ts';
import { platformFailed } from '../telemetry/events.ts';
import { PlatformError, type PlatformFault } from '../platforms/error.ts';

const codeByFault: Record<PlatformFault, { code: ErrorCode; status: number }> = {
  auth_expired: { code: 'platform_token_expired', status: 401 },
  rejected: { code: 'platform_api_error', status: 400 },
  rate_limited: { code: 'rate_limited', status: 429 },
  unavailable: { code: 'platform_api_error', status: 502 },
  unknown_outcome: { code: 'platform_api_error', status: 502 },
  not_found: { code: 'platform_api_error', status: 404 },
  unsupported: { code: 'unsupported_platform_operation', status: 501 },
};

const transparencyFields = ['dsaBeneficiary', 'dsaPayor'];

/** Converts a platform error to the caller's error. `missing` is the code if the object itself was not found. */
export function appErrorFromPlatform(error: PlatformError, missing?: ErrorCode): AppError {
  const { fields } = error.upstream;
  platformFailed.emit({ platform: error.platform, fault: error.fault });
  const extras = { platform: error.platform, platformError: shown(error) };
  if (error.fault === 'rejected' && fields && transparencyFields.some((field) => field in fields)) {
    return transparencyRefusal(error, extras);
  }
  const { missingScopes: scopes } = error.upstream;
  if (error.fault === 'rejected' && scopes) {
    const message = `${error.message}. Connect the account again and grant all permissions`;
    const details = { scopes, reconnect: true };
    return new AppError('missing_platform_permission', message, { ...extras, details }, { cause: error });
  }
  const { code, status } = isOfRequest(error, missing)
    ? { code: 'invalid_field_value' as const, status: 400 }
    : codeByFault[error.fault];
  return new AppError(
    error.fault === 'not_found' && missing ? missing : code,
    error.message,
    {
      ...extras,
      status,
      param: fields && Object.keys(fields)[0],
      details: fields && { fields },
      retryAfterSeconds: error.upstream.retryAfterSeconds,
    },
    { cause: error },
  );
}

/** The fault of a failed call; undefined if no platform is at fault. */
export function faultOf(error: unknown): PlatformFault | undefined {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof PlatformError ? cause.fault : undefined;
}

/** Whether the request is at fault: the adapter rejected a field, or the platform does not know an id in it. */
function isOfRequest(error: PlatformError, missing?: ErrorCode): boolean {
  const { fields, status } = error.upstream;
  if (!fields) return false;
  if (error.fault === 'not_found') return missing === undefined;
  return error.fault === 'rejected' && shown(error) === undefined && !status;
}

/** The platform requires the two EU fields: the same 400 as local validation returns. */
function transparencyRefusal(error: PlatformError, extras: ErrorExtras): AppError {
  const message = 'is required: the targeting meets an EU member state';
  const problems = transparencyFields.map((path) => ({ code: 'missing_required_field' as const, path, message }));
  const same = invalidInput(problems);
  return new AppError(same.code, same.message, { ...extras, ...same.extras }, { cause: error });
}

function shown({ upstream }: PlatformError): Record<string, unknown> | undefined {
  const { code, subcode, title, message, traceId } = upstream;
  const known = Object.entries({ code, subcode, title, message, traceId }).filter(([, value]) => value !== undefined);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}
