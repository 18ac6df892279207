import { expect, it } from 'vitest';
import type { Goal } from '../../src/contract/ad-enums.ts';
import { createPinterest } from '../../src/platforms/pinterest/index.ts';
import { noMedia } from './media.ts';
import { inputs } from './fixtures.ts';

const adapterOf = (conversionObjective: string) =>
  createPinterest({ baseUrl: 'https://pins.example', version: 'v5', conversionObjective }, noMedia);

it.each<[objective: string, goal: Goal, event: string, isTaken: boolean]>([
  ['SALES', 'conversions', 'CHECKOUT', true],
  ['SALES', 'conversions', 'CONTENT_VIEW', false],
  ['SALES', 'conversions', 'COMPLETE_REGISTRATION', false],
  ['SALES', 'conversions', 'ADD_TO_CART', true],
  ['WEB_CONVERSION', 'conversions', 'CONTENT_VIEW', true],
  ['WEB_CONVERSION', 'conversions', 'VIEW_CONTENT', true],
  ['WEB_CONVERSION', 'conversions', 'SEARCH', true],
  ['WEB_CONVERSION', 'conversions', 'COMPLETE_REGISTRATION', true],
  ['WEB_CONVERSION', 'conversions', 'SUBSCRIBE', false],
  ['WEB_CONVERSION', 'lead_generation', 'LEAD', true],
  ['WEB_CONVERSION', 'lead_generation', 'CHECKOUT', false],
])('an ad account whose conversions are %s counts for %s the event %s: %s', (objective, goal, event, isTaken) => {
  const input = inputs.legacy({ goal, promotedObject: { pixelId: '1', customEventType: event } });
  const problems = adapterOf(objective).checkOrder?.(input) ?? [];
  const wrong = { path: 'promotedObject.customEventType', message: expect.stringContaining(`is ${event}, but`) };
  expect(problems).toEqual(isTaken ? [] : [wrong]);
});
