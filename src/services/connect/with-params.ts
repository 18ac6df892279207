import { asciiAddress } from '../../lib/web-address.ts';

/** An address with parameters added, in ASCII as a Location header needs it; its own query and fragment stay. */
export function withParams(address: string, params: Record<string, string | undefined>): string {
  const [, base = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(address) ?? [];
  // Names come from platforms, and half a surrogate pair cannot be escaped.
  const added = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`],
  );
  const joint = base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?';
  return asciiAddress(`${base}${joint}${added.join('&')}${fragment}`);
}
