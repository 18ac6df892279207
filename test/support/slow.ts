/** Runs in `npm run check`, and where a command names files. CONTRIBUTING.md says what npm test does instead. */
export const slow: string[] = [
  // Several processes of the service that are killed, paused and cut off from their stores.
  'test/processes/**',
  'test/chaos/restore.test.ts',
  'test/chaos/webhooks.test.ts',
  'test/webhooks/outages.test.ts',
  'test/webhooks/recovery.test.ts',
  'test/browser/**',
  'test/pages/browser.test.ts',
  // Generates a client from the OpenAPI document, compiles it and calls every operation with it.
  'test/rest/generated-client.test.ts',
  // Generates types from the GraphQL schema, compiles four clients and runs them.
  'test/api/graphql-clients.test.ts',
  // Starts the command line sixty times; start.test.ts starts it four times.
  'test/dev/cli.test.ts',
];
