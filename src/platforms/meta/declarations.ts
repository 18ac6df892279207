import { restrictedCategories, specialAdCategories, type Declared } from '../../contract/ad-declarations.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { targetedCountries } from '../../contract/targeted-countries.ts';
import { own } from '../../lib/own.ts';
import type { Fields } from '../fields.ts';
import type { OrderProblem } from '../platform.ts';

const isRestricted = (category: string): boolean => restrictedCategories.some((restricted) => restricted === category);

/** Rules of declarations that can be checked without the platform. */
export const declarationProblems = (input: CreateAdInput): OrderProblem[] => [
  ...missingCountries(input),
  ...narrowedTargeting(input),
  ...missingRegulations(input),
  ...conflictingIdentities(input),
];

function missingCountries({
  specialAdCategories: categories = [],
  specialAdCategoryCountry,
}: CreateAdInput): OrderProblem[] {
  if (categories.length === 0 || specialAdCategoryCountry) return [];
  const message = 'is required: the countries of the cities and regions are unknown';
  return [{ code: 'missing_required_field', path: 'specialAdCategoryCountry', message }];
}

/** Ads about housing, jobs and credit must not exclude people. */
function narrowedTargeting({
  specialAdCategories: categories = [],
  gender = 'all',
  ageMin = 18,
  ageMax = 65,
}: CreateAdInput) {
  const category = categories.find(isRestricted);
  if (!category) return [];
  const must = (path: string, isMet: boolean, value: string): OrderProblem[] =>
    isMet ? [] : [{ path, message: `must be ${value} with the special ad category ${category}` }];
  return [
    ...must('ageMin', ageMin === 18, '18'),
    ...must('ageMax', ageMax === 65, '65'),
    ...must('gender', gender === 'all', 'all'),
  ];
}

/** Countries for which the platform refuses every ad without a declaration. */
const regulated: Record<string, string> = { TW: 'TAIWAN', SG: 'SINGAPORE' };

function missingRegulations(input: CreateAdInput): OrderProblem[] {
  const declared = (input.regionalRegulation ?? []).map(({ category }) => category);
  return targetedCountries(input).flatMap((country): OrderProblem[] => {
    const region = own(regulated, country);
    if (region === undefined || declared.some((category) => category.startsWith(`${region}_`))) return [];
    const message = `needs an entry with the category ${region}_UNIVERSAL: the targeting meets ${country}`;
    return [{ code: 'missing_required_field', path: 'regionalRegulation', message }];
  });
}

/** Categories with identities of their own; all others share one pair. */
const withIdentities = new Set(
  'AUSTRALIA_FINSERV INDIA_FINSERV SINGAPORE_UNIVERSAL TAIWAN_FINSERV TAIWAN_UNIVERSAL'.split(' '),
);
const identityOf = (category: string): string => (withIdentities.has(category) ? category.toLowerCase() : 'universal');

function conflictingIdentities({ regionalRegulation = [] }: CreateAdInput): OrderProblem[] {
  const shared = regionalRegulation.filter(({ category }) => !withIdentities.has(category));
  return (['beneficiaryId', 'payerId'] as const).flatMap((member) => {
    const first = shared.find((entry) => entry[member] !== undefined);
    return regionalRegulation.flatMap((entry, at): OrderProblem[] => {
      if (!first || !shared.includes(entry) || (entry[member] ?? first[member]) === first[member]) return [];
      const message = `must be ${first[member]}, as for ${first.category}: the platform takes one for all these categories`;
      return [{ path: `regionalRegulation.${at}.${member}`, message }];
    });
  });
}

/** What is declared in the advertiser's name, and what the platform may refuse. */
export const declarationWarnings = (input: CreateAdInput): OrderProblem[] => [
  ...(input.goal === 'lead_generation' && !input.specialAdCategories
    ? [{ path: 'specialAdCategories', message: noCategory }]
    : []),
  ...smallRadiusWarnings(input),
];

const noCategory =
  'is declared as none: the ad belongs to no special ad category (housing, employment, financial products, politics, gambling)';

const leastRadius = { mile: 15, kilometer: 25 };

function smallRadiusWarnings({ specialAdCategories: categories = [], cities = [] }: CreateAdInput): OrderProblem[] {
  if (!categories.some(isRestricted)) return [];
  return cities.flatMap(({ radius = 0, distance_unit: unit = 'mile' }, at) =>
    radius < leastRadius[unit]
      ? [
          {
            path: `cities.${at}.radius`,
            message: `is less than ${leastRadius[unit]} ${unit}s, which the platform may refuse with a special ad category`,
          },
        ]
      : [],
  );
}

export const categoryFields = ({
  specialAdCategories: categories = [],
  specialAdCategoryCountry,
}: CreateAdInput): Fields => ({
  special_ad_categories: categories,
  ...(categories.length > 0 && { special_ad_category_country: specialAdCategoryCountry }),
});

export function regulationFields({ regionalRegulation: entries = [] }: CreateAdInput): Fields {
  if (entries.length === 0) return {};
  const identities = Object.fromEntries(
    entries.flatMap(({ category, beneficiaryId, payerId }) => [
      ...(beneficiaryId === undefined ? [] : [[`${identityOf(category)}_beneficiary`, beneficiaryId]]),
      ...(payerId === undefined ? [] : [[`${identityOf(category)}_payer`, payerId]]),
    ]),
  );
  return {
    regional_regulated_categories: entries.map(({ category }) => category),
    ...(Object.keys(identities).length > 0 && { regional_regulation_identities: identities }),
  };
}

/** What a campaign that was made elsewhere declares. CREDIT is the former name of a category. */
export const categoriesOf = (categories: string[] | undefined, countries: string[] = []): Declared | undefined =>
  categories && {
    specialAdCategories: specialAdCategories.filter((known) =>
      categories.some((category) => (category === 'CREDIT' ? 'FINANCIAL_PRODUCTS_SERVICES' : category) === known),
    ),
    specialAdCategoryCountry: countries,
  };

type Identities = Record<string, string | null | undefined>;

/** What an ad set declares. An ad set without categories has none. */
export const regulationsOf = (categories: string[] = [], identities: Identities = {}): Declared => ({
  regionalRegulation: categories.map((category) => {
    const beneficiaryId = own(identities, `${identityOf(category)}_beneficiary`);
    const payerId = own(identities, `${identityOf(category)}_payer`);
    return { category, ...(beneficiaryId && { beneficiaryId }), ...(payerId && { payerId }) };
  }),
});
