import type { z } from 'zod';
import { radii } from './ad-input-parts.ts';
import type { ErrorCode } from './error.ts';
import { own } from '../lib/own.ts';

interface Field {
  path: (string | number)[];
  code: ErrorCode;
  message: string;
}

type Loose = Record<string, unknown>;

const missing = (path: Field['path'], message = 'is required'): Field => ({
  path,
  code: 'missing_required_field',
  message,
});
const wrong = (path: Field['path'], message: string): Field => ({ path, code: 'invalid_field_value', message });
const exclusive = (path: Field['path'], message: string): Field => ({
  path,
  code: 'mutually_exclusive_fields',
  message,
});

/**
 * Rules between fields that apply on every platform. Runs even if other rules failed, so it tolerates missing and wrong
 * values.
 */
export const checkShape =
  (inherited: string[], inheritedPromoted: string[]) =>
  (input: unknown, context: z.RefinementCtx): void => {
    if (input === null || typeof input !== 'object' || Array.isArray(input)) return;
    const ad = input as Loose;
    const [promoted = {}] = entriesOf([ad['promotedObject']]);
    const given = [
      ...inherited.filter((name) => has(ad, name)).map((name) => [name]),
      ...inheritedPromoted.filter((name) => has(promoted, name)).map((name) => ['promotedObject', name]),
    ];
    const problems = [
      ...shapeProblems(ad, given),
      ...bidProblems(ad),
      ...targetProblems(ad),
      ...creativeProblems(ad),
      ...attributionProblems(ad),
      ...declarationProblems(ad),
    ];
    for (const { path, code, message } of problems)
      context.addIssue({ code: 'custom', path, params: { code }, message });
  };

const has = (ad: Loose, name: string): boolean => ad[name] !== undefined && ad[name] !== null;

function shapeProblems(ad: Loose, inherited: string[][]): Field[] {
  const isAttach = has(ad, 'adSetId');
  const isMulti = has(ad, 'creatives');
  if (isAttach && isMulti)
    return [
      exclusive(
        ['creatives'],
        'cannot be combined with adSetId: add to an ad set, or create a campaign with several ads',
      ),
    ];
  if (isAttach) {
    return [
      ...inherited.map((path) => exclusive(path, 'is inherited from the ad set; omit it when adSetId is set')),
      ...(has(ad, 'body') ? [] : [missing(['body'])]),
    ];
  }
  const needed = ['goal', 'budgetAmount', 'budgetType', ...(isMulti ? [] : ['body'])];
  const ends =
    ad['budgetType'] === 'lifetime' && !has(ad, 'endDate')
      ? [missing(['endDate'], 'is required for a lifetime budget')]
      : [];
  return [...needed.filter((name) => !has(ad, name)).map((name) => missing([name])), ...ends];
}

const capped = ['LOWEST_COST_WITH_BID_CAP', 'COST_CAP'];

function bidProblems(ad: Loose): Field[] {
  if (has(ad, 'adSetId')) return [];
  const strategy = (ad['bidStrategy'] ?? 'LOWEST_COST_WITHOUT_CAP') as string;
  const needsAmount = capped.includes(strategy);
  const needsFloor = strategy === 'LOWEST_COST_WITH_MIN_ROAS';
  const problems: Field[] = [];
  if (needsAmount && !has(ad, 'bidAmount')) problems.push(missing(['bidAmount'], `is required with ${strategy}`));
  if (!needsAmount && has(ad, 'bidAmount'))
    problems.push(wrong(['bidAmount'], `goes only with ${capped.join(' or ')}, not with ${strategy}`));
  if (needsFloor && !has(ad, 'roasAverageFloor'))
    problems.push(missing(['roasAverageFloor'], `is required with ${strategy}`));
  if (!needsFloor && has(ad, 'roasAverageFloor')) {
    problems.push(wrong(['roasAverageFloor'], `goes only with LOWEST_COST_WITH_MIN_ROAS, not with ${strategy}`));
  }
  if (needsFloor && has(ad, 'goal') && !['conversions', 'app_promotion'].includes(String(ad['goal']))) {
    problems.push(wrong(['bidStrategy'], `${strategy} goes only with the goals conversions and app_promotion`));
  }
  return problems;
}

function targetProblems(ad: Loose): Field[] {
  const { ageMin, ageMax } = ad;
  const ages =
    typeof ageMin === 'number' && typeof ageMax === 'number' && ageMin > ageMax
      ? [wrong(['ageMin'], `must be at most ageMax, which is ${ageMax}`)]
      : [];
  const cities = ['cities', 'excludedCities'].flatMap((list) =>
    entriesOf(ad[list]).flatMap((city, index) => {
      if (has(city, 'radius') === has(city, 'distance_unit')) return radiusProblems(city, [list, index]);
      const lacking = has(city, 'radius') ? 'distance_unit' : 'radius';
      return [missing([list, index, lacking], 'radius and distance_unit go together')];
    }),
  );
  return [...ages, ...cities];
}

function radiusProblems({ radius, distance_unit: unit }: Loose, path: Field['path']): Field[] {
  const range = own(radii, String(unit));
  if (typeof radius !== 'number' || radius <= 0 || !range) return [];
  const [least, most] = range;
  if (radius >= least && radius <= most) return [];
  return [wrong([...path, 'radius'], `must be from ${least} to ${most} with distance_unit ${String(unit)}`)];
}

const creativeProblems = (ad: Loose): Field[] =>
  entriesOf(ad['creatives']).flatMap((creative, index) => {
    if (creative === notAnObject) return [];
    const path = ['creatives', index];
    const media = ['imageUrl', 'video'].filter((name) => has(creative, name));
    if (media.length === 2) return [exclusive([...path, 'video'], 'cannot be combined with imageUrl')];
    if (media.length === 0) return [missing([...path, 'imageUrl'], 'exactly one of imageUrl and video is required')];
    const [video] = entriesOf([creative['video']]);
    const lacksPicture = media[0] === 'video' && !has(video ?? {}, 'thumbnailUrl');
    return lacksPicture
      ? [missing([...path, 'video', 'thumbnailUrl'], 'is required: the platform shows it before the video plays')]
      : [];
  });

function attributionProblems(ad: Loose): Field[] {
  const windows = entriesOf(ad['attributionSpec']);
  const types = windows.map(({ eventType }) => eventType);
  return windows.flatMap(({ eventType, windowDays }, index) => {
    const path = ['attributionSpec', index];
    const problems: Field[] = [];
    if (
      eventType !== undefined &&
      eventType !== 'CLICK_THROUGH' &&
      typeof windowDays === 'number' &&
      windowDays !== 1
    ) {
      problems.push(wrong([...path, 'windowDays'], `must be 1 for ${String(eventType)}`));
    }
    if (eventType === 'ENGAGED_VIDEO_VIEW' && !types.includes('VIEW_THROUGH')) {
      problems.push(wrong([...path, 'eventType'], 'ENGAGED_VIDEO_VIEW goes only beside VIEW_THROUGH'));
    }
    if (eventType !== undefined && types.indexOf(eventType) < index)
      problems.push(wrong([...path, 'eventType'], `${String(eventType)} is given twice`));
    return problems;
  });
}

function declarationProblems(ad: Loose): Field[] {
  const { specialAdCategories: categories } = ad;
  const regulated = entriesOf(ad['regionalRegulation']).map(({ category }) => category);
  const hasCategory = Array.isArray(categories) && categories.length > 0;
  const stray = has(ad, 'specialAdCategoryCountry') && !hasCategory && !has(ad, 'adSetId');
  return [
    ...(stray ? [wrong(['specialAdCategoryCountry'], 'goes only with specialAdCategories')] : []),
    ...regulated.flatMap((category, at) =>
      category !== undefined && regulated.indexOf(category) < at
        ? [wrong(['regionalRegulation', at, 'category'], 'is given twice')]
        : [],
    ),
  ];
}

/** Replaces an entry that was rejected because of its type. */
const notAnObject: Loose = {};

const entriesOf = (value: unknown): Loose[] =>
  Array.isArray(value)
    ? value.map((entry) => (entry !== null && typeof entry === 'object' ? (entry as Loose) : notAnObject))
    : [];
