import type { CreateAdInput } from '../../contract/ad-input.ts';
import { keywordOf } from '../../contract/ad-keywords.ts';
import { devices as allDevices } from '../../contract/capability.ts';
import { PlatformError } from '../error.ts';
import type { OrderProblem } from '../platform.ts';
import { geoTargetConstantOf } from './countries.ts';
import { channelOf } from './goals.ts';
import { adGroupName, campaignName, type Operation } from './wire.ts';

/** Location targeting: one criterion per included or excluded place. */
export function placesOf(
  { countries = ['US'], excludedCountries = [], excludedRegions = [] }: CreateAdInput,
  customerId: string,
  suggested: Record<string, string>,
): Operation[] {
  const place = (field: string, geoTargetConstant: string, isExcluded: boolean): Operation => {
    const location = { location: { geoTargetConstant }, ...(isExcluded && { negative: true }) };
    const create = { campaign: campaignName(customerId, '-2'), ...location };
    return { body: { campaignCriterionOperation: { create } }, field };
  };
  const country = (code: string, field: string, isExcluded: boolean): Operation => {
    const geoTargetConstant = geoTargetConstantOf(code) ?? suggested[code];
    if (!geoTargetConstant) throw refused(field, `The platform does not target the country ${code}`);
    return place(field, geoTargetConstant, isExcluded);
  };
  return [
    ...countries.map((code, index) => country(code, `countries.${index}`, false)),
    ...excludedCountries.map((code, index) => country(code, `excludedCountries.${index}`, true)),
    ...excludedRegions.map(({ key }, index) => {
      const field = `excludedRegions.${index}`;
      return place(field, `geoTargetConstants/${numeric(key, field)}`, true);
    }),
  ];
}

/** All criteria of the campaign besides places: languages, and the devices that are left out. */
export function reachOf({ devices }: CreateAdInput, customerId: string, languageIds: string[]): Operation[] {
  const campaign = campaignName(customerId, '-2');
  const criterion = (field: string, facts: Record<string, unknown>): Operation => ({
    body: { campaignCriterionOperation: { create: { campaign, ...facts } } },
    field,
  });
  const excluded = devices ? allDevices.filter((device) => !devices.includes(device)) : [];
  return [
    ...languageIds.map((id) =>
      criterion('languages', { language: { languageConstant: `languageConstants/${numeric(id, 'languages')}` } }),
    ),
    // A bid of nothing is the only way to leave a device out.
    ...excluded.map((device) => criterion('devices', { device: { type: device.toUpperCase() }, bidModifier: 0 })),
  ];
}

/** Audience and keyword targeting; the platform sets all of it on the ad group. */
export function audienceOf(input: CreateAdInput, customerId: string): Operation[] {
  const { keywords = [], negativeKeywords = [], audienceId, excludedAudienceIds = [], interests = [] } = input;
  const isSearch = channelOf(input) === 'SEARCH';
  if (isSearch && interests.length > 0) throw refused('interests', 'Search ads are not targeted by interests');
  const criterion = (field: string, facts: Record<string, unknown>): Operation => ({
    body: {
      adGroupCriterionOperation: {
        create: { adGroup: adGroupName(customerId, '-3'), ...facts },
      },
    },
    field,
  });
  const included = (field: string, facts: Record<string, unknown>): Operation =>
    criterion(field, { status: 'ENABLED', ...facts });
  const excluded = (field: string, facts: Record<string, unknown>): Operation =>
    criterion(field, { negative: true, ...facts });
  const userList = (id: string, field: string) => ({
    userList: { userList: remote(customerId, 'userLists', id, field) },
  });
  const words = isSearch ? keywords : [];
  return [
    ...words.map((entry, index) => included(`keywords.${index}`, { keyword: keywordOf(entry) })),
    ...negativeKeywords.map((keyword, index) => excluded(`negativeKeywords.${index}`, { keyword })),
    ...agesOf(input).map((type) => included('ageMin', { ageRange: { type } })),
    ...(audienceId === undefined ? [] : [included('audienceId', userList(audienceId, 'audienceId'))]),
    ...excludedAudienceIds.map((id, index) => {
      const field = `excludedAudienceIds.${index}`;
      return excluded(field, userList(id, field));
    }),
    ...interests.map(({ id }, index) => {
      const field = `interests.${index}`;
      return included(field, {
        userInterest: { userInterestCategory: remote(customerId, 'userInterests', id, `${field}.id`) },
      });
    }),
  ];
}

function remote(customerId: string, kind: string, id: string, field: string): string {
  return `customers/${customerId}/${kind}/${numeric(id, field)}`;
}

function numeric(id: string, field: string): string {
  if (!/^\d+$/.test(id)) throw refused(field, `${id} is not an id of this platform`);
  return id;
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
