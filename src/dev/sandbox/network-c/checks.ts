import { missing, wrong } from './errors.ts';

export type Body = Record<string, unknown>;

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

export function textIn(body: Body, name: string): string | undefined {
  const value = body[name];
  if (!isThere(value)) return undefined;
  if (typeof value !== 'string') throw wrong(`${name}: Not a valid string.`);
  return value;
}

export function requireText(body: Body, name: string): string {
  const text = textIn(body, name);
  if (text === undefined || text === '') throw missing(name);
  return text;
}

export function oneOfIn(body: Body, name: string, allowed: readonly string[]): string | undefined {
  const text = textIn(body, name);
  if (text !== undefined && !allowed.includes(text)) {
    throw wrong(`${name}: Invalid value ${text}. Must be one of: ${allowed.join(', ')}.`);
  }
  return text;
}

export function requireOneOf(body: Body, name: string, allowed: readonly string[]): string {
  const text = oneOfIn(body, name, allowed);
  if (text === undefined) throw missing(name);
  return text;
}

/** Ids are digit strings: numbers would lose precision. */
export function idIn(body: Body, name: string): string | undefined {
  const id = textIn(body, name);
  if (id !== undefined && !/^\d{1,20}$/.test(id)) throw wrong(`${name}: Not a valid id.`);
  return id;
}

export function requireId(body: Body, name: string): string {
  const id = idIn(body, name);
  if (id === undefined) throw missing(name);
  return id;
}

export function numberIn(body: Body, name: string): number | undefined {
  const value = body[name];
  if (!isThere(value)) return undefined;
  if (typeof value !== 'number' || value < 0) throw wrong(`${name}: Not a valid number.`);
  return value;
}

export function flagIn(body: Body, name: string): boolean | undefined {
  const value = body[name];
  if (!isThere(value)) return undefined;
  if (typeof value !== 'boolean') throw wrong(`${name}: Not a valid boolean.`);
  return value;
}

export function listIn(body: Body, name: string, most = Number.POSITIVE_INFINITY): string[] | undefined {
  const value = body[name];
  if (!isThere(value)) return undefined;
  if (!Array.isArray(value)) throw wrong(`${name}: Not a valid list.`);
  const odd = value.findIndex((item) => typeof item !== 'string');
  if (odd >= 0) throw wrong(`${name}.${odd}: Not a valid string.`);
  if (value.length > most) throw wrong(`${name}: Longer than maximum length ${most}.`);
  return value as string[];
}

export function enumsIn(body: Body, name: string, allowed: readonly string[]): string[] | undefined {
  const list = listIn(body, name);
  const odd = list?.find((item) => !allowed.includes(item));
  if (odd !== undefined) throw wrong(`${name}: Invalid value ${odd}. Must be one of: ${allowed.join(', ')}.`);
  return list;
}

export function objectsIn(body: Body, name: string): Body[] {
  const value = body[name];
  if (!isThere(value)) throw missing(name);
  const isList = Array.isArray(value) && value.every((item) => item !== null && typeof item === 'object');
  if (!isList) throw wrong(`${name}: Not a valid list of objects.`);
  return value as Body[];
}

/** Timestamps are UTC without a zone: `2026-11-28 07:00:00`. */
export function timeIn(body: Body, name: string): number | undefined {
  const text = textIn(body, name);
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN;
  if (Number.isNaN(time)) throw wrong(`${name}: Not a valid datetime. Expected format: YYYY-MM-DD HH:MM:SS.`);
  return time;
}

export const timeText = (time: number): string => new Date(time).toISOString().slice(0, 19).replace('T', ' ');

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/g;
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;

/** East Asian characters count twice; emoji are rejected. */
export function checkWords(text: string, name: string, most: number): void {
  if (emoji.test(text)) throw wrong(`${name}: Emoji are not supported.`);
  if (text.length + (text.match(wide)?.length ?? 0) > most) throw wrong(`${name}: Longer than maximum length ${most}.`);
}

export function requireName(body: Body, name: string, most = 512): string {
  const text = requireText(body, name);
  checkWords(text, name, most);
  return text;
}

/** Lists and objects are JSON text in the query. */
export function parsed(query: Record<string, string>, name: string): unknown {
  const text = query[name];
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong(`${name}: Invalid JSON.`);
  }
}

export function parsedObject(query: Record<string, string>, name: string): Body {
  const value = parsed(query, name) ?? {};
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw wrong(`${name}: Not a valid object.`);
  return value as Body;
}

export const parsedList = (query: Record<string, string>, name: string): string[] | undefined =>
  listIn({ [name]: parsed(query, name) }, name);

export interface Window {
  page: number;
  size: number;
}

/** `page` (from 1) and `page_size`, as digits. */
export function windowIn(query: Record<string, string>, { size = 10, most = 1000 } = {}): Window {
  const number = (name: string, otherwise: number, largest: number): number => {
    const text = query[name] ?? String(otherwise);
    const value = /^\d+$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > largest) throw wrong(`${name}: Must be between 1 and ${largest}.`);
    return value;
  };
  return { page: number('page', 1, 1_000_000), size: number('page_size', size, most) };
}

export const pageInfo = ({ page, size }: Window, total: number): Body => ({
  page,
  page_size: size,
  total_number: total,
  total_page: Math.ceil(total / size),
});
