/** Half-open pooled connections are closed within 20 s, by the monitor or by the operation that waits on one. */
const connectionDefaults = {
  appName: 'social-ads-api',
  serverSelectionTimeoutMS: 10_000,
  heartbeatFrequencyMS: 5_000,
  connectTimeoutMS: 5_000,
  socketTimeoutMS: 15_000,
  // Load balancers and NAT drop idle connections silently.
  maxIdleTimeMS: 60_000,
  maxPoolSize: 50,
  waitQueueTimeoutMS: 10_000,
  // An intent counts as recorded only if it survives the failure of the server that took it.
  w: 'majority' as const,
  journal: true,
  readPreference: 'primary' as const,
};

const optionsIn = (uri: string): URLSearchParams => new URLSearchParams(uri.split('?')[1]);

/** Our defaults, without the options that the URI sets. */
export function connectionOptions(uri: string): Partial<typeof connectionDefaults> {
  const given = new Set([...optionsIn(uri).keys()].map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(connectionDefaults).filter(([name]) => !given.has(name.toLowerCase())));
}

/** Options of an operator's URI under which an acknowledged write can be lost or a read can be stale. */
export function durabilityWarnings(uri: string): string[] {
  const given = optionsIn(uri);
  const option = (name: string) => [...given].find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1];
  const [w, journal, readPreference] = [option('w'), option('journal'), option('readPreference')];
  const lost = 'a write that was acknowledged can be lost, and an ad created twice';
  return [
    ...(w !== undefined && w !== 'majority' ? [`MONGODB_URI sets w=${w}: ${lost}; remove it or use w=majority`] : []),
    ...(journal === 'false' ? [`MONGODB_URI sets journal=false: ${lost}; remove it`] : []),
    ...(readPreference !== undefined && readPreference.toLowerCase() !== 'primary'
      ? [`MONGODB_URI sets readPreference=${readPreference}: leases and idempotency keys can be read stale; remove it`]
      : []),
  ];
}
