import { invalid, missing, refused } from './errors.ts';
import type { Params } from './state.ts';

export function required(params: Params, name: string): string {
  const value = params[name];
  if (value === undefined || value === '') throw missing(name);
  return value;
}

export function oneOf(params: Params, name: string, allowed: readonly string[]): string {
  const value = required(params, name);
  if (!allowed.includes(value))
    throw invalid(name, `Expected one of ${allowed.join(', ')}, got "${value}" for ${name}`, value);
  return value;
}

export function optionalOneOf(params: Params, name: string, allowed: readonly string[]): string | undefined {
  return params[name] === undefined ? undefined : oneOf(params, name, allowed);
}

export function checkLength(params: Params, name: string, most: number): void {
  const value = params[name];
  if (value === undefined) return;
  if (value === '' || [...value].length > most)
    throw invalid(name, `Expected a text of 1 to ${most} characters for ${name}`, value);
}

const whole = /^\d+$/;

export function wholeNumber(params: Params, name: string): number | undefined {
  const value = params[name];
  if (value === undefined) return undefined;
  if (!whole.test(value)) throw invalid(name, `Expected Long, got "${value}" for ${name}`, value);
  return Number(value);
}

/** The smallest unit of a currency, in micros. */
export const denomination = (currency: string): number =>
  /^(BIF|CLP|DJF|GNF|ISK|JPY|KMF|KRW|PYG|RWF|UGX|VND|VUV|XAF|XOF|XPF)$/.test(currency) ? 1_000_000 : 10_000;

export function money(params: Params, name: string, currency: string): number | undefined {
  const amount = wholeNumber(params, name);
  if (amount === undefined) return undefined;
  if (amount === 0) throw invalid(name, `${name} must be more than 0`, params[name]);
  const least = denomination(currency);
  if (amount % least !== 0)
    throw refused('INVALID_DENOMINATION', `${name} must be a multiple of ${least} in ${currency}`, name);
  return amount;
}

export function flag(params: Params, name: string, fallback: boolean): boolean {
  const value = params[name];
  if (value === undefined) return fallback;
  if (!/^(true|false|t|f|1|0)$/.test(value)) throw invalid(name, `Expected Boolean, got "${value}" for ${name}`, value);
  return /^(true|t|1)$/.test(value);
}

/** A comma-separated list, without brackets or quotes. */
export function list(params: Params, name: string, most: number): string[] | undefined {
  const value = params[name];
  if (value === undefined) return undefined;
  const entries = value.split(',').map((entry) => entry.trim());
  if (entries.length > most) throw invalid(name, `Expected at most ${most} values for ${name}`, value);
  return entries;
}

export function longList(params: Params, name: string, most: number): string[] | undefined {
  const entries = list(params, name, most);
  const odd = entries?.find((entry) => !whole.test(entry));
  if (odd !== undefined) throw invalid(name, `Expected Long, got "${odd}" for ${name}`, params[name]);
  return entries;
}

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d))?$/;

export function time(params: Params, name: string): number {
  const value = required(params, name);
  const at = iso.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw invalid(name, `Expected time, got "${value}" for ${name}`, value);
  return at;
}

/** Formats timestamps uniformly, however they were sent. */
export const stamp = (at: number | string): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

export const pick = (params: Params, names: readonly string[]): Params =>
  Object.fromEntries(names.flatMap((name) => (params[name] === undefined ? [] : [[name, params[name]]])));
