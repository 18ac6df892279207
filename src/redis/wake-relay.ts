/** Where processes tell one another that events wait. A lost message costs a second. */
export const nudgeChannel = (prefix: string): string => `${prefix}:nudge`;
