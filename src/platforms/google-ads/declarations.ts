import type { Declared } from '../../contract/ad-declarations.ts';
import type { CreateAdInput } from '../../contract/ad-input.ts';
import { targetsEu } from '../../contract/targeted-countries.ts';
import { own } from '../../lib/own.ts';
import type { OrderProblem } from '../platform.ts';

const words = { true: 'CONTAINS_EU_POLITICAL_ADVERTISING', false: 'DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING' };

export const declarationOf = (isPolitical: boolean): string => words[`${isPolitical}`];

const declared: Record<string, Declared> = {
  [words.true]: { politicalAdvertising: true },
  [words.false]: { politicalAdvertising: false },
};

/** What a campaign declares; undefined if it was made before the platform asked for it. */
export const declaredBy = (word: string | undefined): Declared | undefined => own(declared, word ?? '');

export const unservedInEu = (input: CreateAdInput): OrderProblem[] =>
  input.politicalAdvertising && targetsEu(input)
    ? [{ path: 'politicalAdvertising', message: 'is declared: the platform does not show political ads in the EU' }]
    : [];
