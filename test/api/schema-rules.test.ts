import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';

const root = join(import.meta.dirname, '../..');
const require = createRequire(join(root, 'test/clients/package.json'));

/** Recommended rules that are off, and why. */
const off = {
  '@graphql-eslint/strict-id-in-types': 'values, pages, edges and payloads have no id; records have one',
};

/** Single names that a recommended rule rejects, and why they stay. */
const exceptions: Record<string, string> = {
  distance_unit: 'member of createAd that the specification names',
  country_code: 'query parameter that the specification names',
  redirect_url: 'query parameter that the specification names',
  display_name: 'member of the selected public profile, as the platform names it',
  profile_image_url: 'member of the selected public profile, as the platform names it',
  subscriber_count: 'member of the selected public profile, as the platform names it',
  EventType: 'a type of event is a concept of its own',
  adAccount: 'an ad account is no part of an ad',
  adSet: 'an ad set is no part of an ad',
  adSetName: 'an ad set is no part of an ad',
  adType: 'the field has this name in REST',
  recoveryId: 'the field has this name in REST',
};

interface Problem {
  ruleId: string;
  line: number;
  message: string;
}

/** What the recommended schema rules of GraphQL-ESLint report about a schema. */
async function problemsIn(text: string): Promise<Problem[]> {
  const { ESLint } = require('eslint');
  const { default: plugin } = await import(require.resolve('@graphql-eslint/eslint-plugin'));
  const rules = plugin.configs['flat/schema-recommended'].rules as Record<string, unknown>;
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: true,
    overrideConfig: {
      files: ['**/*.graphql'],
      languageOptions: { parser: plugin.parser, parserOptions: { graphQLConfig: { schema: text } } },
      plugins: { '@graphql-eslint': plugin },
      rules: { ...rules, ...Object.fromEntries(Object.keys(off).map((name) => [name, 'off'])) },
    },
  });
  const [{ messages }] = await eslint.lintText(text, { filePath: join(root, 'schema.graphql') });
  return messages;
}

describe('the recommended rules of GraphQL-ESLint', () => {
  let problems: Problem[];
  beforeAll(async () => {
    problems = await problemsIn(readFileSync(join(root, 'schema.graphql'), 'utf8'));
  });
  const nameIn = ({ message }: Problem): string => /"(\w+)"/.exec(message)?.[1] ?? '';

  it('accept the schema, except for names that are listed with a reason', () => {
    const others = problems.filter((problem) => !(nameIn(problem) in exceptions));
    expect(others.map(({ line, message }) => `${line}: ${message}`)).toEqual([]);
  });

  it('reject every listed exception', () => {
    expect([...new Set(problems.map(nameIn))].toSorted()).toEqual(Object.keys(exceptions).toSorted());
  });
});

describe('the schema', () => {
  it('returns a payload type of its own from every mutation', () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    const others = mutations.filter(({ type }) => !/Payload!?$/.test(String(type)));
    expect(others.map(({ name, type }) => `${name}: ${type}`)).toEqual([]);
  });

  it('has no breaking change since the last release', () => {
    const released = buildSchema(readFileSync(join(import.meta.dirname, 'schema.released.graphql'), 'utf8'));
    expect(findBreakingChanges(released, schema).map(({ description }) => description)).toEqual([]);
  });
});
