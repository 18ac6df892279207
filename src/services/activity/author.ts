import type { Author } from '../../models/activity.ts';
import type { Ctx } from '../context.ts';

/** The author of what a request changes. */
export function authorOf({ caller, source, requestId }: Pick<Ctx, 'caller' | 'source' | 'requestId'>): Author {
  if (source === 'cli') return { type: 'operator', source, requestId };
  const { keyId, keyName } = caller;
  return { type: source === 'browser' ? 'user' : 'api_key', keyId, keyName, source, requestId };
}

/** The author of what a discovery finds changed at the platform. */
export const atPlatform: Author = { type: 'platform', source: 'platform' };

/** The author of what the service changes on its own. */
export const system: Author = { type: 'system', source: 'worker' };
