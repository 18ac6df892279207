import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { ConnectPlatform } from '../contract/connect.ts';
import { ErrorSchema } from './openapi-components.ts';

const html = { content: { 'text/html': { schema: { type: 'string' as const } } } };

/** The connect callback: a page for browsers that is not in the operations. */
export const callback: ZodOpenApiOperationObject = {
  operationId: 'connectCallback',
  tags: ['Connect'],
  summary: 'Complete an authorisation',
  description:
    'Platforms redirect the browser here after a person has authorised or refused the connection; applications do not call it. It redirects to the `redirect_url` of the flow with the outcome in its query, or shows the outcome if the flow has none.',
  security: [],
  requestParams: {
    path: z.object({ platform: ConnectPlatform.meta({ param: { example: 'network-a' } }) }),
    query: z.object({
      state: z.string().optional().describe('The state of the flow'),
      code: z.string().optional().describe('The authorisation code of the platform'),
      error: z.string().optional().describe('Why the person or the platform refused'),
    }),
  },
  responses: {
    200: {
      description: 'The account is connected, or one more step is needed; the flow has no `redirect_url`',
      ...html,
    },
    302: {
      description: 'Redirects to the `redirect_url` of the flow',
      headers: { Location: { description: 'Address with the outcome in its query', schema: { type: 'string' } } },
    },
    400: { description: 'The account is not connected; the flow has no `redirect_url`', ...html },
    404: { description: 'Unknown platform', ...html },
    500: {
      description: 'The account could not be connected',
      content: { 'application/json': { schema: ErrorSchema } },
    },
    503: {
      description: 'The database is unavailable; reload the page later',
      content: { 'application/json': { schema: ErrorSchema }, ...html.content },
    },
  },
};
