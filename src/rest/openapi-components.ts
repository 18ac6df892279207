import { z } from 'zod';
import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { errorStatus, errorTypes, type ErrorCode } from '../contract/error.ts';

/** The body of every error. */
export const ErrorSchema = z
  .object({
    error: z.string().describe('What is wrong, in words; may change'),
    type: z
      .enum(errorTypes)
      .meta({ id: 'ErrorType', description: 'The kind of error that a client branches on first' }),
    code: z
      .enum(Object.keys(errorStatus) as [ErrorCode])
      .meta({ id: 'ErrorCode', description: 'The exact error; codes are stable' }),
    param: z.string().optional().describe('Path of the first field in question'),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('`fields` maps the path of each field to all of its problems'),
    platform: z.string().optional().describe('The platform that answered'),
    platformError: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('`code`, `subcode`, `title`, `message` and `traceId` as the platform sent them'),
    requestId: z.string().describe('Quote it when you report the error'),
  })
  .meta({
    id: 'Error',
    description: 'The body of every error',
    examples: [
      {
        error: 'budgetAmount: is required',
        type: 'invalid_request_error',
        code: 'missing_required_field',
        param: 'budgetAmount',
        details: { fields: { budgetAmount: ['is required'] } },
        requestId: '3f1c7a52-8c1e-4d8a-9a43-6c0d5b1f2e77',
      },
    ],
  });

const count = { type: 'integer' } as const;

export const components: ZodOpenApiComponentsObject = {
  securitySchemes: {
    apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `sk_` and 64 hexadecimal characters.' },
    connectToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-Connect-Token',
      description:
        'A connect token from the redirect of a connect flow: `ct_` and 64 hexadecimal characters. It is valid for 15 minutes and for that flow only.',
    },
  },
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'A unique key for this operation. Repeating the request with the same key and body returns the stored success instead of running it again. Keys are kept for 24 hours.',
      schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
      example: '5b0a9f0c-6f5e-4c5e-9d65-0d6f4f6c2a11',
    },
  },
  headers: {
    RequestId: {
      description: 'Id of the request. An `X-Request-Id` of the caller is kept if it is 1 to 128 safe characters.',
      schema: { type: 'string' },
    },
    RateLimitLimit: { description: 'Units that the user has per minute', schema: count },
    RateLimitRemaining: { description: 'Units that are left in this minute', schema: count },
    RateLimitReset: { description: 'When the minute ends, in seconds since 1970', schema: count },
    RetryAfter: { description: 'Seconds to wait before the next attempt', schema: count },
    WwwAuthenticate: {
      description:
        'The challenge of RFC 6750: `Bearer`, with `error="invalid_token"` if the token that was sent is invalid',
      schema: { type: 'string' },
    },
    IdempotentReplayed: {
      description: 'Present if the response is the stored one of an earlier request with the same key',
      schema: { type: 'string', const: 'true' },
    },
  },
};

export const header = (name: string): { $ref: string } => ({ $ref: `#/components/headers/${name}` });
const always = { 'X-Request-Id': header('RequestId') };
const counted = {
  ...always,
  'X-RateLimit-Limit': header('RateLimitLimit'),
  'X-RateLimit-Remaining': header('RateLimitRemaining'),
  'X-RateLimit-Reset': header('RateLimitReset'),
};

/** Headers of a response by its status. */
export function headersOf(status: number, isWrite: boolean): Record<string, { $ref: string }> {
  if (status === 401) return { ...always, 'WWW-Authenticate': header('WwwAuthenticate') };
  if (status === 429 || status === 503) return { ...counted, 'Retry-After': header('RetryAfter') };
  return status < 300 && isWrite ? { ...counted, 'Idempotent-Replayed': header('IdempotentReplayed') } : counted;
}

export const introduction = `Creates paid ads on six platforms over connected accounts, duplicates campaigns, edits business listings and delivers signed webhooks.

**Authentication.** Send an API key as \`Authorization: Bearer sk_...\`.

**Errors.** Every error has the same body: \`error\` in words, \`type\`, a stable \`code\`, and \`details.fields\` with all problems of a request at once.

**Idempotency.** Send an \`Idempotency-Key\` with every write, so that a retry does not run it a second time.

**Rate limits.** Most requests cost one unit; operations that call a platform or a webhook endpoint cost more. Responses carry \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`; 429 and 503 carry \`Retry-After\`.

**Query parameters.** A parameter with one value is sent once; a list is comma-separated or repeated. Write \`+\` as \`%2B\`.

GraphQL at \`/graphql\` has the same operations under the same names.`;
