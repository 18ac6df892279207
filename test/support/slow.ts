/** Runs in `npm run check`, and where a command names files. CONTRIBUTING.md says what each of them costs. */
export const slow: string[] = [
  // Several processes of the service that are killed, paused and cut off from their stores.
  'test/processes/**',
  'test/chaos/**',
  'test/browser/**',
];
