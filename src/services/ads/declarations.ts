import type { Declared } from '../../contract/ad-declarations.ts';
import { declarationsOn, requestShape, type CreateAdInput } from '../../contract/ad-input.ts';
import type { Warning } from '../../contract/common.ts';
import type { AdPlatform } from '../../contract/platforms.ts';
import { hasUnknownCountry, targetedCountries, targetsEu } from '../../contract/targeted-countries.ts';
import type { AdAccount, AdsAdapter } from '../../platforms/platform.ts';

interface DeclarationContext {
  adapter: Pick<AdsAdapter, 'platform' | 'politicalByDefault'>;
  adAccount: AdAccount;
}

/** Adds the default declarations to an order, so that the ad shows what the platform receives. */
export function withDeclarations(
  input: CreateAdInput,
  { adapter, adAccount }: DeclarationContext,
): { input: CreateAdInput; warnings: Warning[] } {
  if (requestShape(input) === 'attach') return { input, warnings: [] };
  const { politicalByDefault } = adapter;
  const isPolitical = input.politicalAdvertising ?? politicalByDefault;
  const isDefault = politicalByDefault !== undefined && input.politicalAdvertising === undefined;
  return {
    input: {
      ...input,
      ...categoryCountries(input, adapter.platform),
      ...(isPolitical !== undefined && { politicalAdvertising: isPolitical }),
      ...disclosureOf(input, adAccount),
    },
    warnings: isDefault && targetsEu(input) ? [declaredByDefault(politicalByDefault)] : [],
  };
}

const declaredByDefault = (isPolitical: boolean): Warning => ({
  param: 'politicalAdvertising',
  message: `is declared as ${isPolitical} by default: the ad ${isPolitical ? 'contains' : 'contains no'} political advertising`,
});

/** The categories apply in all countries that are targeted, if these are known. */
function categoryCountries(
  input: CreateAdInput,
  platform: AdPlatform,
): Pick<CreateAdInput, 'specialAdCategoryCountry'> {
  const { specialAdCategories: categories = [], specialAdCategoryCountry: given } = input;
  if (categories.length === 0 || given || !declarationsOn(platform).includes('specialAdCategoryCountry')) return {};
  return hasUnknownCountry(input) ? {} : { specialAdCategoryCountry: targetedCountries(input) };
}

/** In the EU an ad names who benefits and who pays; an ad account can have defaults for both. */
function disclosureOf(
  input: CreateAdInput,
  { dsaBeneficiary, dsaPayor }: AdAccount,
): Pick<CreateAdInput, 'dsaBeneficiary' | 'dsaPayor'> {
  const isGiven = input.dsaBeneficiary !== undefined || input.dsaPayor !== undefined;
  return isGiven || !dsaBeneficiary || !dsaPayor || !targetsEu(input) ? {} : { dsaBeneficiary, dsaPayor };
}

/** What a new ad declares, as its record stores it; an empty list if the order has none. */
export function declarationsOf(input: CreateAdInput, platform: AdPlatform): { declarations?: Declared } {
  const {
    specialAdCategories = [],
    specialAdCategoryCountry = [],
    politicalAdvertising,
    regionalRegulation = [],
  } = input;
  const all = { specialAdCategories, specialAdCategoryCountry, politicalAdvertising, regionalRegulation };
  const own = declarationsOn(platform);
  return own.length > 0
    ? { declarations: Object.fromEntries(Object.entries(all).filter(([name]) => own.includes(name))) }
    : {};
}
