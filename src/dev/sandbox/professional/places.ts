/** Locations and interests with their URN ids. */
const countryTable = `
US 103644278 CA 101174742 MX 103323778 BR 106057199 CO 100876405 CL 104621616 PE 102927786 EC 106373116 UY 100867946 CR 101739942
GB 101165590 IE 104738515 DE 101282230 AT 103883259 CH 106693272 FR 105015875 ES 105646813 PT 100364837 IT 103350119 NL 102890719
LU 104042105 DK 104514075 SE 105117694 NO 103819153 FI 100456013 IS 105238872 PL 105072130 CZ 104508036 SK 103119917 HU 100288700
RO 106670623 GR 104677530 HR 104688944 SI 106137034 EE 102974008 LV 104341318 LT 101464403 MT 100961908 CY 106774002 UA 102264497
TR 102105699 IL 101620260 AE 104305776 SA 100459316 QA 104170880 KW 103239229 EG 106155005 MA 102787409 NG 105365761 KE 100710459
ZA 104035573 IN 102713980 PK 101022442 SG 102454443 MY 106808692 ID 102478259 PH 103121230 TH 105146118 VN 104195383 HK 103291313
JP 101355337 KR 105149562 CN 102890883 AU 101452733 NZ 105490917
BE 199000001 BG 199000002 AR 199000003 TW 199000004`;

/** Ids of regions, cities, interests and the last row of countries are unconfirmed. */
const regionsAndCities: [number, string][] = [
  [102_095_887, 'California, United States'],
  [105_080_838, 'New York, United States'],
  [102_299_470, 'England, United Kingdom'],
  [100_477_049, 'Bavaria, Germany'],
  [104_246_759, 'Île-de-France, France'],
  [104_424_439, 'Ontario, Canada'],
  [90_000_070, 'New York City Metropolitan Area'],
  [102_571_732, 'New York, New York, United States'],
  [102_277_331, 'San Francisco, California, United States'],
  [102_257_491, 'London, England, United Kingdom'],
  [100_209_086, 'Manchester, England, United Kingdom'],
  [103_035_651, 'Berlin, Berlin, Germany'],
  [100_477_050, 'Munich, Bavaria, Germany'],
  [106_383_538, 'Paris, Île-de-France, France'],
  [103_815_258, 'Lyon, Auvergne-Rhône-Alpes, France'],
  [104_170_390, 'Tokyo, Tokyo, Japan'],
  [100_025_096, 'Toronto, Ontario, Canada'],
];

const interestNames = [
  'Artificial Intelligence',
  'Cloud Computing',
  'Data Analytics',
  'Digital Marketing',
  'Gardening',
  'Leadership',
  'Renewable Energy',
  'Travel',
];

/** Campaign and interface locales, as `language_COUNTRY`. */
export const locales =
  'en_US en_GB de_DE fr_FR es_ES it_IT nl_NL pt_BR da_DK sv_SE no_NO fi_FI pl_PL cs_CZ ro_RO hu_HU el_GR tr_TR ru_RU uk_UA ar_AE he_IL ja_JP ko_KR zh_CN zh_TW in_ID ms_MY th_TH tl_PH hi_IN'.split(
    ' ',
  );

export interface TargetingEntity {
  urn: string;
  facetUrn: string;
  name: string;
}

const facet = (name: string): string => `urn:li:adTargetingFacet:${name}`;

export const facets =
  'locations profileLocations interfaceLocales interests ageRanges genders industries jobFunctions seniorities titles skills employers staffCountRanges audienceMatchingSegments dynamicSegments memberBehaviors companyFollowers'
    .split(' ')
    .map(facet);

const named = new Intl.DisplayNames(['en'], { type: 'region' });
const countries = [...countryTable.matchAll(/([A-Z]{2}) (\d+)/g)].map(([, code = '', id = '']) => ({
  urn: `urn:li:geo:${id}`,
  facetUrn: facet('locations'),
  name: named.of(code) ?? code,
}));

export const targetingEntities: TargetingEntity[] = [
  ...countries,
  ...regionsAndCities.map(([id, name]) => ({ urn: `urn:li:geo:${id}`, facetUrn: facet('locations'), name })),
  ...interestNames.map((name, index) => ({
    urn: `urn:li:interest:${690_000 + index + 1}`,
    facetUrn: facet('interests'),
    name,
  })),
  ...locales.map((locale) => ({ urn: `urn:li:locale:${locale}`, facetUrn: facet('interfaceLocales'), name: locale })),
];

const byUrn = new Map(targetingEntities.map((entity) => [entity.urn, entity]));
export const targetingEntityAt = (urn: string): TargetingEntity | undefined => byUrn.get(urn);

const ofEu = new Set('AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' '));
const euGeos = new Set(
  countryTable
    .trim()
    .split(/\s+/)
    .flatMap((word, at, words) => (at % 2 === 0 && ofEu.has(word) ? [`urn:li:geo:${words[at + 1]}`] : [])),
);

/** Whether a targeting includes a member state of the EU. */
export const targetsEu = (targeting: unknown): boolean =>
  [...JSON.stringify((targeting as { include?: unknown } | undefined)?.include ?? {}).matchAll(/urn:li:geo:\d+/g)].some(
    ([urn]) => euGeos.has(urn),
  );
