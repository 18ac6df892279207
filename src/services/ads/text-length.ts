import type { Counting } from '../../contract/capability.ts';

/** Ranges that weigh one; everything else weighs two, as the microblog network publishes it. */
const light: readonly [number, number][] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];

/** A link weighs the same however long it is. */
const linkWeight = 23;
// No flag `i`: with `u` it would fold the Kelvin sign to a k.
const label = String.raw`[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}])?`;
const host = String.raw`(?:${label}\.)+[a-zA-Z\u00c0-\u024f]{2,}(?::\d+)?`;
const pathLetters = String.raw`\p{Script=Latin}\p{Script=Cyrillic}\d`;
const path = String.raw`(?:/(?:[${pathLetters}!*';:=+,.$/%#\[\]\-–_~@|&()]*[${pathLetters}+\-=_#/)])?)?`;
const query = String.raw`(?:\?[a-zA-Z\d!?*'@();:&=+$/%#\[\]\-_.,~|]*[a-zA-Z\d\-_&=#/])?`;
/** As the platform's own library finds it; closing punctuation is not part of it. */
const link = new RegExp(`[hH][tT][tT][pP][sS]?://${host}${path}${query}`, 'gu');
/** It may be a link without a scheme: only the platform knows all top-level domains. */
const address = new RegExp(`^${host}(?:/.*)?$`, 'u');

/** East Asian wide and full-width characters take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const emoji = /^(?:\p{RGI_Emoji}|[0-9#*]\u20e3)$/v;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The length of a text as the platform counts it. */
export function lengthOf(text: string, counted: Counting = 'characters'): number {
  const normal = text.normalize('NFC');
  const characters = [...normal];
  if (counted === 'characters') return characters.length;
  if (counted === 'displayWidth') return characters.reduce((sum, letter) => sum + (wide.test(letter) ? 2 : 1), 0);
  let weight = 0;
  const rest = normal.replaceAll(link, (found) => {
    weight += linkWeight;
    return unopened(found);
  });
  for (const { segment } of graphemes.segment(withoutAddresses(rest))) weight += weightOf(segment);
  return weight;
}

/** The parenthesis after a link, unless the link opens it. */
const unopened = (link: string): string => (link.endsWith(')') && !link.includes('(') ? ')' : '');

/** Cuts off what a long address without a scheme has beyond the weight of a link, so that no valid text is too long. */
const withoutAddresses = (text: string): string =>
  text.replaceAll(/[!-~]{24,}/g, (run) => (address.test(run) ? run.slice(0, linkWeight) : run));

/** An emoji weighs two however many code points it is made of. */
function weightOf(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  return [...grapheme].reduce((sum, letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return sum + (light.some(([from, to]) => code >= from && code <= to) ? 1 : 2);
  }, 0);
}
