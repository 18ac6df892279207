import { z } from 'zod';
import { countryCodes } from './country-codes.ts';
import { nearest } from './parse.ts';

/** ISO 639-1 */
export const languageCodes: ReadonlySet<string> = new Set(
  `aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
  et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk
  kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc
  oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn
  to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu`.split(/\s+/),
);

const names = new Intl.DisplayNames('en', { type: 'language' });
const byName = new Map([...languageCodes].map((code) => [(names.of(code) ?? code).toLowerCase(), code]));

/** The code that was meant: by `en-US` or `eng`, by a name, or by the code of a country such as `jp`. */
function meant(text: string): string | undefined {
  const named = byName.get(nearest(text, [...byName.keys()]) ?? '');
  const ofCountry = countryCodes.has(text.toUpperCase()) ? languageOf(`und-${text}`) : undefined;
  return [languageOf(text), ofCountry, named].find((code) => code !== undefined && languageCodes.has(code));
}

function languageOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().language;
  } catch {
    return undefined;
  }
}

function problemOf(code: string): string | undefined {
  if (languageCodes.has(code)) return undefined;
  const hint = meant(code);
  return `must be an ISO 639-1 code such as de${hint ? `; did you mean ${hint}?` : ''}`;
}

/** A language, converted to lower case. */
export const LanguageCode = z
  .string()
  .trim()
  .toLowerCase()
  .superRefine((code, check) => {
    const message = problemOf(code);
    if (message !== undefined) check.addIssue({ code: 'custom', message });
  })
  .meta({ pattern: '^[A-Za-z]{2}$', description: 'ISO 639-1 language code, in either case', examples: ['de'] });
