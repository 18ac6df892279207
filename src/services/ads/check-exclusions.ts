import { includedBy } from '../../contract/ad-exclusions.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { keywordOf } from '../../contract/ad-keywords.ts';
import { invalidValue, type Problem } from '../../contract/error.ts';

const pairs = Object.entries(includedBy) as [keyof typeof includedBy, (typeof includedBy)[keyof typeof includedBy]][];

/** Exclusions that contradict what is included, or that leave nothing. */
export const checkExclusions = (input: CreateAdInput): Problem[] => [
  ...pairs.flatMap(([excluded, included]) => {
    const includedIds = new Set(idsIn(input, included));
    return idsIn(input, excluded).flatMap((id, at, ids) => {
      if (ids.indexOf(id) < at) return [invalidValue(`${excluded}.${at}`, 'is given twice')];
      if (!includedIds.has(id)) return [];
      return [invalidValue(`${excluded}.${at}`, `is also in ${included}; remove it from one of them`)];
    });
  }),
  ...placeProblems(input),
];

/** What identifies each entry of a field. */
function idsIn(input: CreateAdInput, field: (typeof pairs)[number][number]): string[] {
  if (field === 'keywords' || field === 'negativeKeywords') {
    return (input[field] ?? []).map((entry) => {
      const { text, matchType } = keywordOf(entry);
      return `${matchType} ${text.toLowerCase()}`;
    });
  }
  return [input[field] ?? []].flat().map((entry) => (typeof entry === 'string' ? entry : entry.key));
}

function placeProblems(input: CreateAdInput): Problem[] {
  const { countries, regions = [], cities = [], excludedCountries = [] } = input;
  const given = (['excludedCountries', 'excludedRegions', 'excludedCities'] as const).filter((field) => input[field]);
  if (given.length === 0) return [];
  const included = [...(countries ?? []), ...[...regions, ...cities].map(({ countryCode }) => countryCode)];
  if (included.length === 0) {
    const message = `is required with ${given.join(' and ')}: exclusions narrow the included places`;
    return [{ code: 'missing_required_field', path: 'countries', message }];
  }
  const isExcluded = (code: string | undefined): boolean => code !== undefined && excludedCountries.includes(code);
  // A country that is in both lists is reported by its entry.
  if (countries?.some(isExcluded) || !included.every(isExcluded)) return [];
  return [invalidValue('excludedCountries', 'excludes the countries of all included places; leave at least one')];
}
