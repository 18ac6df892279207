import { asciiAddress } from '../../lib/web-address.ts';

/** Adds parameters to a URL, in ASCII as a Location header requires; keeps its own query and fragment. */
export function withParams(address: string, params: Record<string, string | undefined>): string {
  const [, base = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(address) ?? [];
  // Names come from platforms, and an unpaired surrogate cannot be encoded.
  const added = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`],
  );
  const joint = base.includes('?') ? (/[?&]$/.test(base) ? '' : '&') : '?';
  return asciiAddress(`${base}${joint}${added.join('&')}${fragment}`);
}
