import { z } from 'zod';
import { listOf, Text } from './common.ts';
import { withLimits } from './limits.ts';

export const KeywordMatchType = z.enum(['BROAD', 'PHRASE', 'EXACT']).meta({
  id: 'KeywordMatchType',
  description: 'Which searches a keyword matches',
});
export type KeywordMatchType = z.infer<typeof KeywordMatchType>;

const KeywordText = Text.max(80).refine((text) => text.split(/\s+/).length <= 10, 'must have at most 10 words');
const text = withLimits(KeywordText, 'The words of the keyword, at most 10');

const KeywordInput = z
  .strictObject({ text, matchType: KeywordMatchType })
  .meta({ id: 'KeywordInput', description: 'A keyword of a search ad' });

const NegativeKeywordInput = z
  .strictObject({ text, matchType: KeywordMatchType.default('BROAD').describe('BROAD by default') })
  .meta({ id: 'NegativeKeywordInput', description: 'A keyword whose searches do not show the ad' });

const maxKeywords = 200;

/** GraphQL has no union of inputs, so each form of an entry has its own field there; the fields are joined into one list. */
export const Keywords = listOf(
  z.union([KeywordText, KeywordInput], { error: 'must be a text, or an object with text and matchType' }),
  maxKeywords,
).meta({
  graphqlFields: {
    keywords: z
      .array(KeywordText)
      .describe(
        'B search: keywords that match as phrases; 1 to 200 entries of 1 to 80 characters, including those of `keywordsWithMatchType`',
      ),
    keywordsWithMatchType: z
      .array(KeywordInput)
      .describe(
        'B search: keywords with their match types, with or instead of `keywords`. Errors name an entry by its position in both lists joined, `keywords` first',
      ),
  },
});

export const NegativeKeywords = listOf(NegativeKeywordInput, maxKeywords);

export const Keyword = z
  .strictObject({ text: z.string().describe('The words of the keyword'), matchType: KeywordMatchType })
  .meta({ id: 'Keyword', description: 'A keyword of an ad' });
export type Keyword = z.infer<typeof Keyword>;

/** A text without a match type matches as a phrase. */
export const keywordOf = (entry: string | Keyword): Keyword =>
  typeof entry === 'string' ? { text: entry, matchType: 'PHRASE' } : entry;
