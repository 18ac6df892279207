/** An address with parameters added; its own query and fragment stay as they were written. */
export function withParams(address: string, params: Record<string, string | undefined>): string {
  const [, base = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(address) ?? [];
  const added = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  const joint = base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?';
  return `${base}${joint}${added.join('&')}${fragment}`;
}
