/** Weight of a URL, whatever its length. */
const urlWeight = 23;

const address =
  /\bhttps?:\/\/[^\s/?#]+\.[^\s]+|\b(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|co|info|biz|shop|eu|uk|de|fr|jp|ca)\b(?:\/\S*)?/gi;
/** What twitter-text takes as a link, up to a character that it does not expect or an unpaired parenthesis. */
const linkPattern = new RegExp(
  [
    String.raw`^(?:https?:\/\/)?[^\s/?#()]+`,
    String.raw`(?:\/(?:[\p{Script=Latin}\p{Script=Cyrillic}\d!*';:=+,.$/%#[\]\-–_~@|&]|\([\w.,;:=&%-]+\))*)?`,
    String.raw`(?:\?[\w!?*'@();:&=+$/%#[\]\-.,~|]*)?`,
  ].join(''),
  'u',
);
/** Punctuation that ends no link. */
const trailing = /[!?*'@();:$%[\].,~|"}]+$/;

/** Splits what may be an address into the link and what follows it. */
function splitLink(found: string): [link: string, rest: string] {
  const whole = linkPattern.exec(found)?.[0] ?? '';
  const hasPair = /\([^()]+\)$/.test(whole) && !whole.includes('?');
  const link = hasPair ? whole : whole.replace(trailing, '');
  return [link, found.slice(link.length)];
}

const emoji = new RegExp('\\p{RGI_Emoji}|[0-9#*]\\u20e3', 'gv');
/** Latin, Greek, Cyrillic and neighbouring scripts up to Georgian, and common dashes, quotes and spaces. */
const light: [number, number][] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
];

/** URLs in a text. */
export const addressesIn = (text: string): string[] =>
  [...text.matchAll(address)].map(([found]) => splitLink(found)[0]);

/** Weighted length of a text, of which 280 is the maximum. */
export function weightOf(text: string): number {
  let weight = 0;
  let rest = text.normalize('NFC');
  rest = rest.replace(address, (found) => {
    weight += urlWeight;
    return splitLink(found)[1];
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
