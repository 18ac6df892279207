/** East Asian wide and full-width characters take two columns. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** As much of a text as fits into so many columns. */
export function cutToWidth(text: string, width: number): string {
  let kept = '';
  let used = 0;
  for (const character of text.normalize('NFC')) {
    used += wide.test(character) ? 2 : 1;
    if (used > width) break;
    kept += character;
  }
  return kept.trimEnd();
}

/** The platform takes no line breaks in the name of a campaign. */
export const cleanName = (name: string): string => name.replace(/[\0\r\n]+/g, ' ');

/** The end of a name makes it unique, so a name that is too long in bytes loses its start. */
export function cutToBytes(name: string, bytes: number): string {
  let kept = name;
  while (Buffer.byteLength(kept) > bytes) kept = [...kept].slice(1).join('');
  return kept.trimStart();
}

/** A text between quotes in a query. */
export const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** A part of a text to look for: signs with a meaning in patterns stand for themselves. */
export const quotedPart = (text: string): string => quoted(`%${text.replace(/[[\]%_]/g, '[$&]')}%`);
