import { getNamedType, isLeafType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { operations } from '../../src/operations/index.ts';
import { exampleIds, examples } from '../../src/rest/examples.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { fieldsOf, requestOf, rootFields, selectionOf } from '../support/graphql-requests.ts';
import { follow } from '../support/stream.ts';
import { createUserFixture, type UserFixture } from '../support/user-fixture.ts';

let app: TestApp;
let fixture: UserFixture;
beforeAll(async () => {
  app = await startTestApp({ ROLE: 'api', GRAPHQL_MAX_COST: '100000000' });
  fixture = await createUserFixture(app);
});
afterAll(() => app.stop());

/** Rejections that depend on what exists, not on how the request is written. */
const dependsOnState =
  /_not_found$|_not_empty$|_mismatch$|^platform_|^unsupported_|^linked_account_|^ads_connection_|^connection_failed$|^page_not_available$/;

describe('the example of every operation', () => {
  it.each(rootFields)('is valid in GraphQL with all fields of its answer: $name', async ({ name, kind, field }) => {
    expect(operations.map((operation) => operation.name)).toContain(name);
    const { params = {}, body, bodies = {} } = examples[name] ?? {};
    const values = { ...params, ...(body ?? Object.values(bodies)[0]) };
    const { query, variables } = requestOf(field, kind, values);
    const own = JSON.parse(JSON.stringify(variables).replaceAll(exampleIds.profile, fixture.profileId)) as object;
    const answer = await app.graphql(query, own, { key: fixture.key });
    const [error] = answer.body.errors ?? [];
    if (error) expect(error.extensions.code).toMatch(dependsOnState);
    else expect(Object.keys(answer.body.data)).toEqual([name]);
  });
});

describe('every subscription', () => {
  it.each(fieldsOf(schema.getSubscriptionType()))('hides what the key cannot access: $name', async (field) => {
    const [argument] = field.args;
    const call = `${field.name}(${argument?.name}: "${'0'.repeat(24)}") ${selectionOf(field.type)}`;
    expect(isLeafType(getNamedType(field.type))).toBe(false);
    const stream = await follow(app.url, fixture.key, call);
    await stream.over;
    expect(JSON.stringify(stream)).not.toContain('"data"');
  });
});
