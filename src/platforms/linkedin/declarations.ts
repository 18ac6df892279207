import type { Declared } from '../../contract/ad-declarations.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { targetsEu } from '../../contract/targeted-countries.ts';
import type { OrderProblem } from '../platform.ts';

export const intentOf = (isPolitical = false): string => (isPolitical ? 'POLITICAL' : 'NOT_POLITICAL');

/** What a campaign declares; undefined for NOT_DECLARED and for older campaigns. */
export const declaredBy = (intent: string | null | undefined): Declared | undefined =>
  intent === 'POLITICAL' || intent === 'NOT_POLITICAL' ? { politicalAdvertising: intent === 'POLITICAL' } : undefined;

export const politicalInEu = (input: CreateAdInput): OrderProblem[] =>
  input.politicalAdvertising && targetsEu(input)
    ? [
        {
          path: 'politicalAdvertising',
          message:
            'must be false when the targeting meets an EU member state: the platform allows no political ads there',
        },
      ]
    : [];
