/** Where processes tell one another that events wait. A lost message costs a second. */
export const wakeChannel = (prefix: string): string => `${prefix}:wakeRelay`;
