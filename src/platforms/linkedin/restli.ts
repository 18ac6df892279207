import { segment } from '../../lib/segment.ts';

/** URNs inside a path are escaped completely; the punctuation of lists and objects is not. */
export const urnIn = segment;

export const list = (values: string[]): string => `List(${values.map(escaped).join(',')})`;

/** Escapes text within that punctuation. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[(),']/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const little = /[\\|{}@[\]()<>#*_~]/g;

/** Posts interpret some characters as markup; an unescaped one would silently truncate the text. */
export const littleText = (text: string): string => text.replaceAll(little, (mark) => `\\${mark}`);

export const urn = (kind: string, id: string): string => (id.startsWith('urn:') ? id : `urn:li:${kind}:${id}`);
export const idOf = (text: string): string => text.split(':').at(-1) ?? text;
