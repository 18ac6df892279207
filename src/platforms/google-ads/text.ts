/** The platform rejects line breaks in campaign names. */
export const cleanName = (name: string): string => name.replace(/[\0\r\n]+/g, ' ');

/** Names end in a unique marker, so a name with too many bytes is cut at its start. */
export function cutToBytes(name: string, bytes: number): string {
  let kept = name;
  while (Buffer.byteLength(kept) > bytes) kept = [...kept].slice(1).join('');
  return kept.trimStart();
}

/** Names of budgets and ad groups are limited in bytes. */
export const shortName = (name: string): string => cutToBytes(cleanName(name), 255);

/** Quotes a string for a query. */
export const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** Quotes a LIKE pattern that matches a literal substring. */
export const quotedPart = (text: string): string => quoted(`%${text.replace(/[[\]%_]/g, '[$&]')}%`);
