/** The platform takes no line breaks in the name of a campaign. */
export const cleanName = (name: string): string => name.replace(/[\0\r\n]+/g, ' ');

/** The end of a name makes it unique, so a name that is too long in bytes loses its start. */
export function cutToBytes(name: string, bytes: number): string {
  let kept = name;
  while (Buffer.byteLength(kept) > bytes) kept = [...kept].slice(1).join('');
  return kept.trimStart();
}

/** Names of budgets and ad groups are counted in bytes. */
export const shortName = (name: string): string => cutToBytes(cleanName(name), 255);

/** A text between quotes in a query. */
export const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** A part of a text to look for: signs with a meaning in patterns stand for themselves. */
export const quotedPart = (text: string): string => quoted(`%${text.replace(/[[\]%_]/g, '[$&]')}%`);
