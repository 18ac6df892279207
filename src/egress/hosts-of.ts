/** Host and port pairs of a database connection string. */
export function hostsOf(uri: string): string[] {
  const port = /^rediss?\+sentinel:/.test(uri) ? 26_379 : uri.startsWith('redis') ? 6379 : 27_017;
  // A password may contain text that looks like a host.
  const [authority = ''] = uri.replace(/^[^/]*\/\//, '').split(/[/?]/);
  return authority
    .slice(authority.lastIndexOf('@') + 1)
    .split(',')
    .filter((host) => host !== '' && !host.includes('%'))
    .map((host) => (/:\d+$/.test(host) ? host : `${host}:${port}`));
}
