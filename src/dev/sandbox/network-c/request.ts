import type { Received } from '../platform.ts';
import type { Advertiser, Person, World } from './state.ts';

/** A request whose token, and advertiser where it names one, were found good. */
export interface Asked extends Received {
  world: World;
  person: Person;
  advertiser: Advertiser;
}
