import { requireList, requireObject, type Body } from './checks.ts';
import { invalid } from './errors.ts';

const categories =
  'TAIWAN_FINSERV TAIWAN_UNIVERSAL AUSTRALIA_FINSERV INDIA_FINSERV SINGAPORE_UNIVERSAL THAILAND_UNIVERSAL BRAZIL_REGULATION SPAIN_FINSERV VOLUNTARY_VERIFICATION'.split(
    ' ',
  );
const identities = [
  'australia_finserv',
  'india_finserv',
  'singapore_universal',
  'taiwan_finserv',
  'taiwan_universal',
  'universal',
].flatMap((name) => [`${name}_beneficiary`, `${name}_payer`]);

/** Countries whose regulation must be declared, in the order in which the platform asks. */
const regulated = [
  { country: 'TW', category: 'TAIWAN_UNIVERSAL', subcode: 3858498 },
  { country: 'SG', category: 'SINGAPORE_UNIVERSAL', subcode: 3858550 },
];

/**
 * One missing declaration is named at a time; identities are ids of verified advertisers. Unconfirmed: the text and the
 * subcode for a missing identity.
 */
export function checkRegulation(body: Body, countries: Set<string>): void {
  const [given, named] = [body['regional_regulated_categories'], body['regional_regulation_identities']];
  const declared = given === undefined ? [] : requireList(given, 'regional_regulated_categories');
  const ids = named === undefined ? {} : requireObject(named, 'regional_regulation_identities');
  const unknown = declared.find((category) => !categories.includes(String(category)));
  if (unknown !== undefined)
    throw invalid(`regional_regulated_categories must be of ${categories.join(', ')}`, {
      field: 'regional_regulated_categories',
    });
  checkIdentities(ids);
  for (const { country, category, subcode } of regulated.filter((region) => countries.has(region.country))) {
    if (!declared.includes(category))
      throw invalid(
        `Your ad set reaches a location that requires a declaration (${country}). Please use the following value for regional_regulated_categories: ${category}`,
        { subcode, field: 'regional_regulated_categories' },
      );
    const key = category.toLowerCase();
    if (ids[`${key}_beneficiary`] === undefined || ids[`${key}_payer`] === undefined)
      throw invalid(`Please select the verified beneficiary and payer for ${category}`, {
        subcode,
        field: 'regional_regulation_identities',
      });
  }
}

function checkIdentities(ids: Body): void {
  for (const [name, id] of Object.entries(ids)) {
    const field = 'regional_regulation_identities';
    if (!identities.includes(name)) throw invalid(`Unknown identity ${name}`, { field });
    if (!/^\d+$/.test(String(id))) throw invalid(`${name} must be a number`, { field });
  }
}
