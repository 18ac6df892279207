import type { AdPlatform } from '../contract/platforms.ts';
import { PlatformError } from './error.ts';

/** A language of the platform by its code there, which may name a variant: `zh_CN`, `en-US`. */
export interface LanguageVariant {
  code: string;
  key: string;
}

const names = new Intl.DisplayNames('en', { type: 'language' });
export const languageName = (code: string): string => names.of(code) ?? code;

const baseOf = ({ code }: LanguageVariant): string => code.toLowerCase().split(/[-_]/)[0] ?? '';

/** The keys of all variants of the requested languages; throws for languages without any. */
export function variantsOf(platform: AdPlatform, requested: string[], known: LanguageVariant[]): string[] {
  const missing = requested.filter((code) => !known.some((one) => baseOf(one) === code));
  if (missing.length > 0) throw missingLanguages(platform, { requested, missing, known });
  return requested.flatMap((code) => known.filter((one) => baseOf(one) === code).map(({ key }) => key));
}

interface Missing {
  requested: string[];
  missing: string[];
  /** All languages of the platform, if they are known. */
  known?: LanguageVariant[];
}

export function missingLanguages(platform: AdPlatform, { requested, missing, known = [] }: Missing): PlatformError {
  const texts = missing.map((code) => [requested.indexOf(code), languageProblem(code, known)] as const);
  const fields = Object.fromEntries(texts.map(([at, text]) => [`languages.${at}`, [text]]));
  return new PlatformError(platform, 'rejected', texts.map(([, text]) => text).join('; '), { fields });
}

export function languageProblem(code: string, known: LanguageVariant[]): string {
  const others = [...new Set(known.map(baseOf))].toSorted();
  const list = others.length > 0 ? `; it has ${others.join(', ')}` : '';
  return `The platform does not target ${languageName(code)} (${code})${list}`;
}
