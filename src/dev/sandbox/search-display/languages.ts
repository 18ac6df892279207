import type { Fields } from './shapes.ts';

const known: [id: number, code: string, name: string][] = [
  [1000, 'en', 'English'],
  [1001, 'de', 'German'],
  [1002, 'fr', 'French'],
  [1003, 'es', 'Spanish'],
  [1004, 'it', 'Italian'],
  [1005, 'ja', 'Japanese'],
  [1010, 'nl', 'Dutch'],
  [1013, 'no', 'Norwegian'],
  [1014, 'pt', 'Portuguese'],
  [1015, 'sv', 'Swedish'],
  [1017, 'zh_CN', 'Chinese (simplified)'],
  [1018, 'zh_TW', 'Chinese (traditional)'],
];

/** A sample of the targetable languages. */
export const languages: Fields[] = known.map(([id, code, name]) => ({
  resourceName: `languageConstants/${id}`,
  id: String(id),
  code,
  name,
  targetable: true,
}));
