/** Runs in `npm run check`, and where a command names files. CONTRIBUTING.md says what npm test does instead. */
export const slow: string[] = [
  // Several processes of the service that are killed, paused and cut off from their stores.
  'test/processes/**',
  'test/chaos/**',
  'test/webhooks/crash.test.ts',
  'test/webhooks/load.test.ts',
  'test/webhooks/outages.test.ts',
  'test/webhooks/recovery.test.ts',
  'test/webhooks/stalled-workers.test.ts',
  // A failure, a lost response or a change made elsewhere at every call, on each platform.
  'test/conformance/budget-sequences.test.ts',
  'test/conformance/deleted-upstream.test.ts',
  'test/conformance/fault-by-name.test.ts',
  'test/conformance/faults.test.ts',
  'test/conformance/level-change-failures.test.ts',
  'test/conformance/lost-responses.test.ts',
  'test/conformance/removal-failures.test.ts',
  'test/conformance/restored-database.test.ts',
  'test/conformance/unknown-changes.test.ts',
  // Starts a Redis for each setting that is refused.
  'test/redis/require-settings.test.ts',
  'test/browser/**',
  'test/pages/browser.test.ts',
  // Generates a client from the OpenAPI document, compiles it and calls every operation with it.
  'test/rest/generated-client.test.ts',
  // Generates types from the GraphQL schema, compiles four clients and runs them.
  'test/api/graphql-clients.test.ts',
  // Start the command line or the service many times; start.test.ts starts it twice.
  'test/dev/cli.test.ts',
  'test/dev/image.test.ts',
  'test/dev/operator-commands.test.ts',
  'test/dev/start-again.test.ts',
  'test/dev/upstream/verify.test.ts',
];
