import type { AdPlatform } from '../../contract/platforms.ts';
import type { PlatformsConfig } from '../../platforms/registry.ts';
import type { Access, AdAccount, AdsAdapter } from '../../platforms/platform.ts';

/** `validate` uses the platform's own validation and creates nothing; `write` creates paused objects and removes them. */
export type Kind = 'read' | 'validate' | 'write';

/** Ids that an operator gives for single checks, by the environment variable that carries them. */
export type Given = Readonly<Record<string, string | undefined>>;

/** Either the live platform or the sandbox, with everything that a request to it needs. */
export interface Side {
  platform: AdPlatform;
  config: PlatformsConfig;
  adapter: AdsAdapter;
  access: Access;
  adAccount: AdAccount;
  given: Given;
}

/** What the template of a request is filled with. */
export interface Scene extends Side {
  /** The name of all objects of this check; unique per run. */
  name: string;
  /** Ids that earlier steps of the check kept. */
  ids: Record<string, string>;
}

/** One request. Its answer is compared unless it only prepares the next one. */
export interface Step {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the version of the API; an absolute URL is used as it is. */
  path: string;
  query?: Record<string, string | string[]>;
  fields?: unknown;
  /** Sent as a form where `fields` would be JSON. */
  form?: Record<string, string>;
  headers?: Record<string, string>;
  /** Instead of the operator's token; empty for none. */
  token?: string;
  /** Another version of the API. */
  version?: string;
  /** The kind of object that it creates, or would create if the platform accepted it. */
  makes?: string;
  /** Stores the id in the answer under this name for later steps; by default that of the created object. */
  keeps?: string;
  idIn?: (body: unknown) => string | undefined;
  /** Objects of other kinds that it creates as well. */
  alsoMakes?: (body: unknown) => { kind: string; id: string }[];
  /** The name under which the id of the object is kept that it removes. */
  removes?: string;
  isSetup?: boolean;
  /** Leaves the proof of the app out. */
  isUnproven?: boolean;
}

export type MakeStep = (scene: Scene) => Step;

export interface Check {
  id: string;
  question: string;
  /** Why the answer is not known. */
  doubt: string;
  kind: Kind;
  /** The sandbox refuses the last request. */
  isRefused?: true;
  /** Environment variables without which the check is skipped. */
  needs?: string[];
  /** Headers whose values are compared too, not only their presence. */
  exactHeaders?: string[];
  /** Members of answers whose values are compared too: words and switches of the platform, never ids of the operator. */
  exactMembers?: string[];
  /** Calls of the adapter, or requests that it would never send. */
  run: ((side: Side, quietly: Quietly) => Promise<unknown>) | MakeStep[];
}

/** Checks of one kind. */
export const rows = (kind: Kind, checks: Omit<Check, 'kind'>[]): Check[] => checks.map((check) => ({ ...check, kind }));

/** Runs calls whose answers are not compared. */
export type Quietly = <T>(run: () => Promise<T>) => Promise<T>;

/** An amount in whole units of the ad account's currency, roughly this many dollars. */
export const amount = ({ adapter, adAccount }: Side, dollars: number): number =>
  adapter.currencyFactor(adAccount.currency) === 1 ? dollars * 200 : dollars;

export const minor = (side: Side, dollars: number): string =>
  String(amount(side, dollars) * side.adapter.currencyFactor(side.adAccount.currency));

export const micros = (side: Side, dollars: number): number => amount(side, dollars) * 1_000_000;

export const inDays = (days: number): Date => new Date(Date.now() + days * 86_400_000);

/** The value at a path of names and indexes in parsed JSON. */
export const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string | number, unknown> | undefined | null)?.[name], value);

export const textAt = (value: unknown, ...path: (string | number)[]): string | undefined => {
  const found = at(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
};
