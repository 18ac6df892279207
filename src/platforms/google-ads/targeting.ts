import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../error.ts';
import type { OrderProblem } from '../platform.ts';
import { geoTargetConstantOf } from './countries.ts';
import { channelOf } from './goals.ts';
import { adGroupName, campaignName, type Operation } from './wire.ts';

/** Location targeting: one criterion per country. */
export const placesOf = (
  { countries = ['US'] }: CreateAdInput,
  customerId: string,
  suggested: Record<string, string>,
): Operation[] =>
  countries.map((country, index) => {
    const geoTargetConstant = geoTargetConstantOf(country) ?? suggested[country];
    const field = `countries.${index}`;
    if (!geoTargetConstant) throw refused(field, `The platform does not target the country ${country}`);
    const create = { campaign: campaignName(customerId, '-2'), location: { geoTargetConstant } };
    return { body: { campaignCriterionOperation: { create } }, field };
  });

/** Audience and keyword targeting; the platform sets all of it on the ad group. */
export function audienceOf(input: CreateAdInput, customerId: string): Operation[] {
  const { keywords = [], audienceId, interests = [] } = input;
  const isSearch = channelOf(input) === 'SEARCH';
  if (isSearch && interests.length > 0) throw refused('interests', 'Search ads are not targeted by interests');
  const criterion = (field: string, facts: Record<string, unknown>): Operation => ({
    body: {
      adGroupCriterionOperation: {
        create: { adGroup: adGroupName(customerId, '-3'), status: 'ENABLED', ...facts },
      },
    },
    field,
  });
  const words = isSearch ? keywords : [];
  return [
    ...words.map((text, index) => criterion(`keywords.${index}`, { keyword: { text, matchType: 'PHRASE' } })),
    ...agesOf(input).map((type) => criterion('ageMin', { ageRange: { type } })),
    ...(audienceId === undefined
      ? []
      : [
          criterion('audienceId', {
            userList: { userList: remote(customerId, 'userLists', audienceId, 'audienceId') },
          }),
        ]),
    ...interests.map(({ id }, index) => {
      const field = `interests.${index}`;
      return criterion(field, {
        userInterest: { userInterestCategory: remote(customerId, 'userInterests', id, `${field}.id`) },
      });
    }),
  ];
}

function remote(customerId: string, kind: string, id: string, field: string): string {
  if (!/^\d+$/.test(id)) throw refused(field, `${id} is not an id of this platform`);
  return `customers/${customerId}/${kind}/${id}`;
}

const buckets = [
  { type: 'AGE_RANGE_18_24', from: 18, to: 24 },
  { type: 'AGE_RANGE_25_34', from: 25, to: 34 },
  { type: 'AGE_RANGE_35_44', from: 35, to: 44 },
  { type: 'AGE_RANGE_45_54', from: 45, to: 54 },
  { type: 'AGE_RANGE_55_64', from: 55, to: 64 },
  { type: 'AGE_RANGE_65_UP', from: 65, to: 65 },
];
/** The full age range; it needs no criterion. */
const everybody = { from: 13, to: 65 };

function rangeOf({ ageMin, ageMax = everybody.to }: CreateAdInput): { from: number; to: number } {
  const isFromStart = ageMin === undefined || ageMin === everybody.from;
  return { from: isFromStart && ageMax === everybody.to ? 18 : (ageMin ?? 18), to: ageMax };
}

/** The platform only has fixed age ranges: another range would be widened or narrowed silently. */
export function checkAges(input: CreateAdInput): OrderProblem[] {
  const range = rangeOf(input);
  return (
    [
      ['ageMin', 'from'],
      ['ageMax', 'to'],
    ] as const
  ).flatMap(([path, end]) => {
    const steps = buckets.map((bucket) => bucket[end]);
    return steps.includes(range[end]) ? [] : [{ path, message: `must be one of ${steps.join(', ')} on this platform` }];
  });
}

function agesOf(input: CreateAdInput): string[] {
  const [problem] = checkAges(input);
  if (problem) throw refused(problem.path, problem.message);
  const { from, to } = rangeOf(input);
  const covered = buckets.filter((bucket) => bucket.from >= from && bucket.to <= to);
  return covered.length === buckets.length ? [] : covered.map(({ type }) => type);
}

const refused = (field: string, message: string): PlatformError =>
  new PlatformError('B', 'rejected', message.startsWith('must') ? `${field} ${message}` : message, {
    fields: { [field]: [message] },
  });
