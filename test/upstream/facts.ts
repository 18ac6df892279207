import { readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { amendments } from './amendments.ts';

export type Schema = { [keyword: string]: unknown };

/** What a published description says about the requests of one platform. Extracted; see extract/README.md. */
export interface Facts {
  sources: Source[];
  /** Keys are a method and a path below the platform's host, such as `POST /v5/pins`. */
  operations: Record<string, Operation>;
  $defs: Record<string, Schema>;
  /** Fields of the query language with their types or values. */
  queryFields?: Record<string, string | string[]>;
  /** Fields that can be selected, by object; `creative:AdCreative` leads to another object. */
  selectable?: Record<string, string[]>;
  errors?: Record<string, (string | number)[]>;
  scopes?: string[];
}

export interface Source {
  name: string;
  version: string;
  date: string;
  /** Which of the facts it is the source of. */
  proves: string;
}

export interface Operation {
  /** The parameters of the query; none are allowed if it is left out. */
  query?: Schema;
  /** Headers that are required, by their names in lower case. */
  headers?: Schema;
  /** Left out if the operation takes no body, or if the description says nothing about it. */
  body?: Schema;
  /** Media types of the body. */
  type?: string | string[];
}

const folder = resolve(import.meta.dirname, 'facts');

export function factsOf(name: string): Facts {
  const text = readFileSync(resolve(folder, `${name}.json`), 'utf8');
  // The schemas of operations are compiled apart from the definitions, under whose name they refer to them.
  const facts = JSON.parse(text.replaceAll('"#/$defs/', '"facts#/$defs/')) as Facts;
  for (const { at, add } of amendments.filter(({ platform }) => platform === name)) {
    const target = at.reduce<any>((value, step) => value[step], facts);
    if (Array.isArray(add)) target.push(...add);
    else Object.assign(target, add);
  }
  return facts;
}

/** Platforms that have facts. */
export const described = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

export const hasFacts = (name: string): boolean => described.includes(name);
