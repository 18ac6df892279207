/** The host and port pairs that a connection string of a store names, which may be several or without a port. */
export const hostsOf = (uri: string, usualPort: number): string[] =>
  uri
    .replace(/^[^/]*\/\/(.*@)?/, '')
    .replace(/[/?].*$/, '')
    .split(',')
    .map((host) => (/:\d+$/.test(host) ? host : `${host}:${usualPort}`));
