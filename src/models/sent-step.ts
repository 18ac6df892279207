import type { SentCall } from '../lib/sent-calls.ts';

/** A step of what was sent to a platform, as the history shows it. */
export interface SentStep {
  name: string;
  state: 'running' | 'done' | 'unknown' | 'refused';
  /** When it was last started; for an unknown outcome, when the request timed out. */
  startedAt: Date;
  endedAt?: Date;
  remoteId?: string;
  /** The platform's code of the error that ended it. */
  errorCode?: string;
  calls?: SentCall[];
}
