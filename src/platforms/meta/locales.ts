import type { CreateAdInput } from '../../contract/ad-input.ts';
import { languageName, missingLanguages } from '../languages.ts';
import { inParallel } from '../parallel.ts';
import { PlatformError } from '../error.ts';
import type { Access } from '../platform.ts';
import type { Client } from './client.ts';
import { searchTargeting } from './lookups.ts';

/** Cached: the numbers of locales do not change. */
const known = new Map<string, number[]>();

const width = 5;
const maxMatches = 100;
/** The platform takes no more. */
const maxLocales = 90;

/** The numbers of all variants of the languages, such as English (US) and English (UK). */
export async function localesOf(
  client: Client,
  access: Access,
  { languages }: Pick<CreateAdInput, 'languages'>,
): Promise<number[] | undefined> {
  if (!languages) return undefined;
  await inParallel(
    languages.filter((code) => !known.has(code)),
    width,
    async (code) => {
      const found = await readLocales(client, access, languageName(code));
      if (found.length > 0) known.set(code, found);
    },
  );
  const missing = languages.filter((code) => !known.has(code));
  if (missing.length > 0) throw missingLanguages('A', { requested: languages, missing });
  const all = [...new Set(languages.flatMap((code) => known.get(code) ?? []))];
  if (all.length <= maxLocales) return all;
  const message = `have ${all.length} variants on the platform, which takes at most ${maxLocales}`;
  throw new PlatformError('A', 'rejected', `languages ${message}`, { fields: { languages: [message] } });
}

/** A search matches parts of names; variants end in the name of the language, such as `Simplified Chinese (China)`. */
async function readLocales(client: Client, access: Access, name: string): Promise<number[]> {
  const options = await searchTargeting(client, access, { type: 'language', q: name, limit: maxMatches });
  return options
    .filter((option) => ` ${option.name.replace(/ \(.*\)$/, '')}`.endsWith(` ${name}`))
    .map(({ key }) => Number(key));
}
