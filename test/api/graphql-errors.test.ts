import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { AppError, type ErrorCode } from '../../src/contract/error.ts';
import type { GraphContext } from '../../src/graphql/builder.ts';
import { maskError } from '../../src/graphql/errors.ts';
import { createLog } from '../../src/telemetry/log.ts';

const statusOf = (code: ErrorCode, path: (string | number)[] | undefined, fields: string[]): unknown => {
  const rootFields = fields.map((name) => ({ name, key: name }));
  const ctx = { log: createLog('silent'), requestId: 'r', rootFields } as unknown as GraphContext;
  const error = new GraphQLError('refused', { path, originalError: new AppError(code, 'refused') });
  return (maskError(error, ctx).extensions['http'] as { status: number } | undefined)?.status;
};

describe('an error of a field', () => {
  it.each<[ErrorCode, (string | number)[] | undefined, string[], number]>([
    ['rate_limited', ['adReport'], ['adReport'], 429],
    ['rate_limited', ['adReport'], ['adReport', '__typename'], 429],
    ['invalid_credentials', undefined, ['viewer', 'accounts'], 401],
    ['query_too_costly', ['ads'], ['ads', 'campaigns'], 400],
  ])('sets the status if nothing else ran: %s at %s of %s', (code, path, fields, status) => {
    expect(statusOf(code, path, fields)).toBe(status);
  });

  it.each<[ErrorCode, (string | number)[], string[]]>([
    ['rate_limited', ['adReport'], ['viewer', 'adReport']],
    ['rate_limited', ['campaigns', 'nodes', 0, 'insights'], ['campaigns']],
    ['invalid_credentials', ['viewer'], ['createProfile', 'viewer']],
    ['platform_api_error', ['createAd'], ['createAd']],
  ])('leaves the status 200 beside data of other fields: %s at %s of %s', (code, path, fields) => {
    expect(statusOf(code, path, fields)).toBeUndefined();
  });
});
