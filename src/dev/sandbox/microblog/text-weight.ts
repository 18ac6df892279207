/** Weight of a URL, whatever its length. */
export const urlWeight = 23;

const address =
  /\bhttps?:\/\/[^\s/?#]+\.[^\s]+|\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|co|info|biz|shop|eu|uk|de|fr|jp|ca)\b(?:\/\S*)?/gi;
const trailing = /[.,;:!?'")\]}]+$/;
const emoji = new RegExp('\\p{RGI_Emoji}', 'gv');
/** Latin, Greek, Cyrillic and neighbouring scripts up to Georgian, and common dashes, quotes and spaces. */
const light: [number, number][] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];

/** URLs in a text, without trailing punctuation. */
export const addressesIn = (text: string): string[] =>
  [...text.matchAll(address)].map(([found]) => found.replace(trailing, ''));

/** Weighted length of a text, of which 280 is the maximum. */
export function weightOf(text: string): number {
  let weight = 0;
  let rest = text.normalize('NFC');
  rest = rest.replace(address, (found) => {
    weight += urlWeight;
    return trailing.exec(found)?.[0] ?? '';
  });
  rest = rest.replace(emoji, () => {
    weight += 2;
    return '';
  });
  for (const sign of rest) {
    const point = sign.codePointAt(0) ?? 0;
    weight += light.some(([from, to]) => point >= from && point <= to) ? 1 : 2;
  }
  return weight;
}
