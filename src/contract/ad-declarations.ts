import { z } from 'zod';
import { field } from './ad-fields.ts';
import type { Declaration } from './capability.ts';
import { listOf, Text, uniqueListOf } from './common.ts';
import { CountryCode } from './country-codes.ts';

export const specialAdCategories = [
  'HOUSING',
  'EMPLOYMENT',
  'FINANCIAL_PRODUCTS_SERVICES',
  'ISSUES_ELECTIONS_POLITICS',
  'ONLINE_GAMBLING_AND_GAMING',
] as const;
/** The categories whose ads must not be limited by age or gender. */
export const restrictedCategories = specialAdCategories.slice(0, 3);

export const SpecialAdCategory = z
  .enum(specialAdCategories)
  .meta({ id: 'SpecialAdCategory', description: 'A subject that an ad must declare' });
export type SpecialAdCategory = z.infer<typeof SpecialAdCategory>;

export const categoriesInWords: Record<SpecialAdCategory, string> = {
  HOUSING: 'Homes to rent or buy, and services around them',
  EMPLOYMENT: 'Jobs, internships and training for a job',
  FINANCIAL_PRODUCTS_SERVICES: 'Credit, insurance, investments and other financial products',
  ISSUES_ELECTIONS_POLITICS: 'Social issues, elections and politics',
  ONLINE_GAMBLING_AND_GAMING: 'Gambling and games for money',
};

const IdentityId = z.string().regex(/^\d{1,32}$/, 'must be the numeric id of a verified advertiser');
const identity = (who: string) => `Id of the verified advertiser that ${who}`;

const RegionalRegulationInput = z
  .strictObject({
    // The platform publishes these values as numbers only and adds further ones.
    category: z
      .string()
      .max(64)
      .regex(/^[A-Z]+(_[A-Z]+)+$/, 'must be a category such as TAIWAN_UNIVERSAL')
      .describe(
        'TAIWAN_UNIVERSAL, TAIWAN_FINSERV, SINGAPORE_UNIVERSAL, AUSTRALIA_FINSERV, INDIA_FINSERV, THAILAND_UNIVERSAL, BRAZIL_REGULATION, or a later one of the platform',
      ),
    beneficiaryId: IdentityId.optional().describe(identity('benefits from the ad')),
    payerId: IdentityId.optional().describe(identity('pays for the ad')),
  })
  .meta({
    id: 'RegionalRegulationInput',
    description: 'What the law of a targeted country requires the ad to declare',
  });

const ofCampaign = { level: 'campaign', isDeclaration: true } as const;
const ofAdSet = { level: 'ad_set', isDeclaration: true } as const;

/** Fields of createAd with which the advertiser declares something to the platform. */
export const declarationFields = {
  dsaBeneficiary: field(
    Text.max(100).optional(),
    { level: 'ad_set', platforms: 'A' },
    'A: who benefits; required when the targeting meets an EU member state, unless the ad account has defaults for both',
  ),
  dsaPayor: field(
    Text.max(100).optional(),
    { level: 'ad_set', platforms: 'A' },
    'A: who pays; required when the targeting meets an EU member state, unless the ad account has defaults for both',
  ),
  specialAdCategories: field(
    uniqueListOf(SpecialAdCategory, specialAdCategories.length, { min: 0 }).optional(),
    { ...ofCampaign, platforms: 'AD' },
    'A, D: the special ad categories that the ad belongs to; none by default',
  ),
  specialAdCategoryCountry: field(
    uniqueListOf(CountryCode, 250).optional(),
    { ...ofCampaign, platforms: 'A' },
    'A: where the categories apply; the targeted countries by default',
  ),
  politicalAdvertising: field(
    z.boolean().optional(),
    { ...ofCampaign, platforms: 'BF' },
    'B, F: whether it is political advertising, on B as EU law defines it; by default false on F, and the setting of the operator on B',
  ),
  regionalRegulation: field(
    listOf(RegionalRegulationInput, 20).optional(),
    { ...ofAdSet, platforms: 'A' },
    'A: what the laws of targeted countries require the ad to declare; required for TW and SG',
  ),
};

export const politicalOnB: Declaration = {
  field: 'politicalAdvertising',
  text: 'Whether the campaign contains political advertising as EU law defines it. The default is the setting of the operator, with a warning when the targeting meets an EU member state. The platform does not show political ads in the EU; an order for one has a warning',
};
export const politicalOnF: Declaration = {
  field: 'politicalAdvertising',
  text: 'Whether the campaign is political advertising. False by default, with a warning when the targeting meets an EU member state; true is rejected there, because the platform does not allow it. The platform obliges applications to show advertisers a consent statement for targeting in the EU: a client of this API must show it',
};

const RegionalRegulation = z
  .strictObject({
    category: z.string().describe('As the platform names it'),
    beneficiaryId: z.string().nullable().describe(identity('benefits from the ad')),
    payerId: z.string().nullable().describe(identity('pays for the ad')),
  })
  .meta({ id: 'RegionalRegulation', description: 'A declaration that the law of a country requires' });

/** The stored form has only the members that the platform knows. */
export const AdDeclarations = z
  .strictObject({
    specialAdCategories: z.array(SpecialAdCategory).nullable().describe('Empty if none is declared'),
    specialAdCategoryCountry: z.array(z.string()).nullable().describe('Where the categories apply'),
    politicalAdvertising: z.boolean().nullable().describe('Whether it is declared as political advertising'),
    regionalRegulation: z.array(RegionalRegulation).nullable().describe('What the laws of targeted countries require'),
  })
  .meta({
    id: 'AdDeclarations',
    description:
      'What an ad declares to its platform; null where the platform has no such declaration or does not report it',
  });

interface DeclaredRegulation {
  category: string;
  beneficiaryId?: string;
  payerId?: string;
}

export interface Declared {
  specialAdCategories?: SpecialAdCategory[];
  specialAdCategoryCountry?: string[];
  politicalAdvertising?: boolean;
  regionalRegulation?: DeclaredRegulation[];
}
