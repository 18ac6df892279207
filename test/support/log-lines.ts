interface Line {
  time: string;
  msg: string;
}

/** The lines of a log of the service. */
export const logLines = (log: string): Line[] =>
  log.split('\n').flatMap((text) => (text.startsWith('{') ? [JSON.parse(text) as Line] : []));

/** Messages with more than one line a second. A busy machine writes a line late, and the next one in time. */
export function tooFrequent(log: string): string[] {
  const lines = logLines(log);
  return [...new Set(lines.map(({ msg }) => msg))].filter((msg) => {
    const times = lines.filter((line) => line.msg === msg).map(({ time }) => Date.parse(time));
    return times.length > (Math.max(...times) - Math.min(...times)) / 1000 + 3;
  });
}
