import type { Counting } from '../../contract/capability.ts';

/** Ranges that weigh one; everything else weighs two, as the microblog network publishes it. */
const light: readonly [number, number][] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];

/** A link weighs the same however long it is; closing punctuation is not part of it. */
const linkWeight = 23;
const link = /https?:\/\/[^\s<>"\u1100-\u{10ffff}]*[^\s<>"\u1100-\u{10ffff}.,;:!?'()[\]]/giu;

/** East Asian wide and full-width characters take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const emoji = /^\p{RGI_Emoji}$/v;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The length of a text as the platform counts it. */
export function lengthOf(text: string, counted: Counting = 'characters'): number {
  const normal = text.normalize('NFC');
  const characters = [...normal];
  if (counted === 'characters') return characters.length;
  if (counted === 'displayWidth') return characters.reduce((sum, letter) => sum + (wide.test(letter) ? 2 : 1), 0);
  const links = normal.match(link)?.length ?? 0;
  const rest = [...graphemes.segment(normal.replaceAll(link, ''))];
  return rest.reduce((sum, { segment }) => sum + weightOf(segment), links * linkWeight);
}

/** An emoji weighs two however many code points it is made of. */
function weightOf(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  return [...grapheme].reduce((sum, letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return sum + (light.some(([from, to]) => code >= from && code <= to) ? 1 : 2);
  }, 0);
}
