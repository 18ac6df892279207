import type { Naming } from '../models/campaign.ts';

/**
 * The name that callers see: the caller's own, without our marker, if the platform still has the name that was sent.
 */
export function shownName(naming: Naming | null | undefined, found: string): string {
  if (!naming) return found;
  if (found === naming.sent) return naming.given;
  // Renamed at the platform: removes the marker of this object only.
  const [before = '', ...after] = found.split(` ${naming.mark}`);
  return before + after.join('');
}
