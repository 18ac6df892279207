/** The channel that wakes the relays of all processes. A lost message delays events by a second. */
export const wakeChannel = (prefix: string): string => `${prefix}:wakeRelay`;

export interface Wake {
  /** The message of this process to the others; it ignores its own. */
  sender: string;
  /** Wakes the relay of this process. */
  relay: () => void;
}
