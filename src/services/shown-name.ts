import type { Naming } from '../models/campaign.ts';

/** The name that callers see: the one given here, without our mark, as long as the platform has the form that was sent. */
export function shownName(naming: Naming | null | undefined, found: string): string {
  if (!naming) return found;
  if (found === naming.sent) return naming.given;
  // Renamed at the platform: the mark of this very object goes, and nothing else that looks like one.
  const [before = '', ...after] = found.split(` ${naming.mark}`);
  return before + after.join('');
}
