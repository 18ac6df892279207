/** The channel that wakes the relays of other processes. A lost message delays events by a second. */
export const wakeChannel = (prefix: string): string => `${prefix}:wakeRelay`;
