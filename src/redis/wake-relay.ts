/** The channel that wakes the relays of all processes. A lost message delays events by a second. */
export const wakeChannel = (prefix: string): string => `${prefix}:wakeRelay`;

/** How a process wakes its own relay, and the message by which it recognises its own waking of the others. */
export interface Wake {
  sender: string;
  relay: () => void;
}
