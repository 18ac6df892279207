import { segment } from '../../lib/segment.ts';

/** Inside an address ids are escaped whole, while the punctuation of lists and objects stays as it is. */
export const urnIn = segment;

export const list = (values: string[]): string => `List(${values.map(escaped).join(',')})`;

/** Text within that punctuation. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[(),']/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const little = /[\\|{}@[\]()<>#*_~]/g;

/** Posts read some characters as marks; a raw one would cut the text off in silence. */
export const littleText = (text: string): string => text.replaceAll(little, (mark) => `\\${mark}`);

export const urn = (kind: string, id: string): string => (id.startsWith('urn:') ? id : `urn:li:${kind}:${id}`);
export const idOf = (text: string): string => text.split(':').at(-1) ?? text;
