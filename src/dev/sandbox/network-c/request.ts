import type { Received } from '../platform.ts';
import type { Advertiser, Person, SandboxState } from './state.ts';

/** A request with a valid token and, if it names one, a valid advertiser. */
export interface Asked extends Received {
  sandbox: SandboxState;
  person: Person;
  advertiser: Advertiser;
}
