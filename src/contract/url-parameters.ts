import { z } from 'zod';
import { Text, uniqueListOf } from './common.ts';
import { withLimits } from './limits.ts';

/** Names in braces that platforms replace at each click. */
export const urlMacros = ['campaignId', 'campaignName', 'adSetId', 'adSetName', 'adId', 'adName', 'placement'] as const;
export type UrlMacro = (typeof urlMacros)[number];

export const UrlParameterInput = z
  .strictObject({
    key: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens and underscores')
      .describe('Its name: 1 to 64 letters, digits, dots, hyphens and underscores'),
    value: withLimits(
      Text.max(200),
      'Literal text, and names in braces that the platform replaces, such as {campaignId}: `urlMacros` of `GET /v1/platforms` lists them',
    ),
  })
  .meta({ id: 'UrlParameterInput', description: 'A parameter that is added to the link of an ad' });
export type UrlParameterInput = z.output<typeof UrlParameterInput>;

export const UrlParametersInput = uniqueListOf(UrlParameterInput, 14, { member: 'key' });

export const UrlParameter = z
  .strictObject({
    key: z.string().describe('Its name'),
    value: z.string().describe('Its value, with names in braces that the platform replaces'),
  })
  .meta({ id: 'UrlParameter', description: 'A parameter that is added to the link of an ad' });
export type UrlParameter = z.output<typeof UrlParameter>;
