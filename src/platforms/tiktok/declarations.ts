import { specialAdCategories, type Declared, type SpecialAdCategory } from '../../contract/ad-declarations.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { OrderProblem } from '../platform.ts';
import type { Fields } from './client.ts';

/** The platform has an older name of a category. */
const industryOf = (category: SpecialAdCategory): string =>
  category === 'FINANCIAL_PRODUCTS_SERVICES' ? 'CREDIT' : category;

/** Sent when a campaign is created: none can be added later. */
export const industryFields = ({ specialAdCategories: categories = [] }: CreateAdInput): Fields =>
  categories.length > 0 ? { special_industries: categories.map(industryOf) } : {};

export const declaredBy = (industries: string[] | null | undefined): Declared => ({
  specialAdCategories: specialAdCategories.filter((category) => industries?.includes(industryOf(category))),
});

const adult = 18;

export function declarationProblems({
  specialAdCategories: categories = [],
  ageMin = adult,
  ageMax = adult,
}: CreateAdInput): OrderProblem[] {
  const [category] = categories;
  const path = ageMin < adult ? 'ageMin' : 'ageMax';
  if (!category || Math.min(ageMin, ageMax) >= adult) return [];
  return [{ path, message: `must be at least ${adult} with the special ad category ${category}` }];
}
