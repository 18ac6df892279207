import { chunksOf } from '../../lib/chunks.ts';
import { countryNumbers } from '../../lib/country-numbers.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../error.ts';
import { languageProblem } from '../languages.ts';
import type {
  Access,
  FoundTargeting,
  InterestOption,
  OrderProblem,
  TargetingOption,
  TargetingQuery,
} from '../platform.ts';
import type { Client } from './client.ts';
import { escaped, idOf, list, urnIn } from './restli.ts';
import { TargetingEntities, type Campaign } from './wire.ts';

/** Countries with known ids; the others are looked up. */
const table = `US 103644278 CA 101174742 MX 103323778 BR 106057199 CO 100876405 CL 104621616 PE 102927786 EC 106373116 UY 100867946
CR 101739942 GB 101165590 IE 104738515 DE 101282230 AT 103883259 CH 106693272 FR 105015875 ES 105646813 PT 100364837 IT 103350119
NL 102890719 LU 104042105 DK 104514075 SE 105117694 NO 103819153 FI 100456013 IS 105238872 PL 105072130 CZ 104508036 SK 103119917
HU 100288700 RO 106670623 GR 104677530 HR 104688944 SI 106137034 EE 102974008 LV 104341318 LT 101464403 MT 100961908 CY 106774002
UA 102264497 TR 102105699 IL 101620260 AE 104305776 SA 100459316 QA 104170880 KW 103239229 EG 106155005 MA 102787409 NG 105365761
KE 100710459 ZA 104035573 IN 102713980 PK 101022442 SG 102454443 MY 106808692 ID 102478259 PH 103121230 TH 105146118 VN 104195383
HK 103291313 JP 101355337 KR 105149562 CN 102890883 AU 101452733 NZ 105490917`;
const words = table.split(/\s+/);
const geoIds = new Map(words.flatMap((code, at) => (at % 2 === 0 ? [[code, words[at + 1] ?? ''] as const] : [])));
const codes = new Map([...geoIds].map(([code, id]) => [id, code]));
const countryNames = new Intl.DisplayNames('en', { type: 'region' });

/** A query is limited to 4096 characters. */
const maxUrns = 75;

const locations = 'urn:li:adTargetingFacet:locations';
const interests = 'urn:li:adTargetingFacet:interests';

/** The platform's location URNs of the given countries. */
export const geosOf = (
  client: Client,
  access: Access,
  codes: string[],
  field: 'countries' | 'excludedCountries' = 'countries',
): Promise<string[]> => Promise.all(codes.map((code) => geoOf(client, access, { code, field })));

async function geoOf(
  client: Client,
  access: Access,
  { code, field }: { code: string; field: string },
): Promise<string> {
  const known = geoIds.get(code);
  if (known) return `urn:li:geo:${known}`;
  const name = countryNames.of(code) ?? code;
  const found = (await typeahead(client, access, { facet: locations, q: name })).find((place) => place.name === name);
  if (!found) {
    const message = `The platform does not target ${code}`;
    throw new PlatformError('F', 'rejected', message, { fields: { [field]: [message] } });
  }
  geoIds.set(code, idOf(found.urn));
  return found.urn;
}

/** The countries of a targeting; null if it has other places too. */
export function foundTargeting(criteria: Campaign['targetingCriteria']): FoundTargeting | null {
  const countriesOf = (urns: string[] = []): string[] => urns.flatMap((urn) => codes.get(idOf(urn)) ?? []);
  const included = criteria?.include?.and.flatMap(({ or }) => or[locations] ?? []) ?? [];
  const excluded = criteria?.exclude?.or[locations] ?? [];
  const [countries, excludedCountries] = [countriesOf(included), countriesOf(excluded)];
  const isWhole = countries.length === included.length && excludedCountries.length === excluded.length;
  if (!isWhole || included.length === 0) return null;
  return { countries, ...(excludedCountries.length > 0 && { excludedCountries }) };
}

async function typeahead(client: Client, access: Access, { facet, q }: { facet: string; q: string }) {
  const path = `adTargetingEntities?q=typeahead&facet=${urnIn(facet)}&query=${escaped(q)}&queryVersion=QUERY_USES_URNS`;
  return (await client.read(access, path, TargetingEntities)).elements;
}

const codesByName = new Map([...countryNumbers.keys()].map((code) => [countryNames.of(code) ?? code, code]));

/** The countries of location URNs; a URN that is none is missing. */
export async function countriesOf(client: Client, access: Access, urns: string[]): Promise<Map<string, string>> {
  const found = new Map(urns.flatMap((urn) => (codes.has(idOf(urn)) ? [[urn, codes.get(idOf(urn)) ?? '']] : [])));
  const others = urns.filter((urn) => urn !== '' && !found.has(urn));
  for (const some of chunksOf(others, maxUrns)) {
    const path = `adTargetingEntities?q=urns&urns=${list(some)}&count=${maxUrns}`;
    for (const { urn, name } of (await client.read(access, path, TargetingEntities)).elements) {
      const code = codesByName.get(name);
      if (code) found.set(urn, code);
    }
  }
  return found;
}

/** Results have only an id and a name: ids in the table are countries, and a name with a comma lies inside one. */
export async function searchTargeting(
  client: Client,
  access: Access,
  query: TargetingQuery,
): Promise<TargetingOption[]> {
  if (!['country', 'region', 'city'].includes(query.type)) return [];
  const found = await typeahead(client, access, { facet: locations, q: query.q });
  return found.flatMap(({ urn, name }) => toOption(urn, name, query)).slice(0, query.limit);
}

function toOption(urn: string, name: string, { type, countryCode }: TargetingQuery): TargetingOption[] {
  const parts = name.split(', ');
  const code = codes.get(idOf(urn));
  const kind = code || parts.length === 1 ? 'country' : parts.length === 2 ? 'region' : 'city';
  const owner = code ?? [...geoIds.keys()].find((one) => countryNames.of(one) === parts.at(-1));
  if (kind !== type || (countryCode && owner !== countryCode)) return [];
  return [{ key: kind === 'country' ? (code ?? urn) : urn, name: parts[0] ?? name, type, countryCode: owner }];
}

export async function searchInterests(
  client: Client,
  access: Access,
  { q, limit }: Omit<TargetingQuery, 'type'>,
): Promise<InterestOption[]> {
  const found = await typeahead(client, access, { facet: interests, q });
  return found.slice(0, limit).map(({ urn, name }) => ({ id: urn, name }));
}

const countryLanguages: Record<string, string> = {
  GB: 'en',
  US: 'en',
  AU: 'en',
  CA: 'en',
  IE: 'en',
  NZ: 'en',
  DE: 'de',
  AT: 'de',
  CH: 'de',
  FR: 'fr',
  ES: 'es',
  MX: 'es',
  IT: 'it',
  NL: 'nl',
  BR: 'pt',
  PT: 'pt',
  JP: 'ja',
  KR: 'ko',
  SE: 'sv',
  DK: 'da',
  NO: 'no',
  PL: 'pl',
  TR: 'tr',
  CZ: 'cs',
  RO: 'ro',
};
/** The platform's closed list of locales, as `language_COUNTRY`; the first of a language is its default. */
const locales =
  'en_US en_GB de_DE fr_FR es_ES it_IT nl_NL pt_BR ja_JP ko_KR sv_SE da_DK no_NO pl_PL tr_TR cs_CZ ro_RO fi_FI hu_HU el_GR ru_RU uk_UA ar_AE he_IL zh_CN zh_TW ms_MY th_TH hi_IN'.split(
    ' ',
  );

/** The locales of the requested languages. */
export const localesIn = (languages: string[]): string[] =>
  languages.flatMap((language) => locales.filter((locale) => locale.startsWith(`${language}_`)));

export const checkLanguages = ({ languages = [] }: CreateAdInput): OrderProblem[] =>
  languages.flatMap((language, at) =>
    localesIn([language]).length > 0
      ? []
      : [
          {
            path: `languages.${at}`,
            message: languageProblem(
              language,
              locales.map((code) => ({ code, key: code })),
            ),
          },
        ],
  );

/** The locale of the first country, or else the first one of the requested languages. */
export function localeOf({ countries = ['US'], languages }: CreateAdInput): { country: string; language: string } {
  const [first = 'US'] = countries;
  const usual = first === 'GB' ? 'en_GB' : (localesIn([countryLanguages[first] ?? 'en'])[0] ?? 'en_US');
  const requested = localesIn(languages ?? []);
  const chosen = requested.length === 0 || requested.includes(usual) ? usual : (requested[0] ?? usual);
  const [language = '', country = ''] = chosen.split('_');
  return { country, language };
}
