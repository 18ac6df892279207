export interface Run {
  /** When it begins. */
  at: string;
  /** The zone of the process. */
  zone: string;
}

export const times = ['00:00', '06:30', '12:00', '18:50', '23:59'];
export const zones = ['America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Auckland'] as const;

/**
 * Each kind of day, on its date for each zone: years with and without a leap day, and one far ahead. A clock change is the
 * zone's own, in UTC; Kathmandu has none and takes those of Europe, where ad accounts are.
 */
export const days: Record<string, Record<(typeof zones)[number], string>> = {
  'last day of February': {
    'America/Los_Angeles': '2027-02-28',
    'Asia/Kathmandu': '2028-02-28',
    'Pacific/Auckland': '2031-02-28',
  },
  'last day of the year': {
    'America/Los_Angeles': '2026-12-31',
    'Asia/Kathmandu': '2031-12-31',
    'Pacific/Auckland': '2027-12-31',
  },
  'clocks go forward': {
    'America/Los_Angeles': '2027-03-14',
    'Asia/Kathmandu': '2027-03-28',
    'Pacific/Auckland': '2027-09-25',
  },
  'clocks go back': {
    'America/Los_Angeles': '2027-11-07',
    'Asia/Kathmandu': '2027-10-31',
    'Pacific/Auckland': '2027-04-03',
  },
};

/** Every time on every kind of day; zones take turns, so that each meets every time and every kind of day. */
export const matrix: Run[] = Object.values(days).flatMap((dates, day) =>
  times.map((time, at) => {
    const zone = zones[(day + at) % zones.length] ?? zones[0];
    return { at: `${dates[zone]}T${time}:00Z`, zone };
  }),
);

/**
 * Suites that calculate with dates most, in every run. The others join in the runs below: each time of day once, on every
 * kind of day and in every zone. Those of the services, which keep what they do in a store, take three times as long.
 */
export const everyRun = [
  'test/platforms',
  'test/dev/sandbox',
  'test/contract',
  'test/rest',
  'test/config',
  'test/architecture',
];
/** Left out of every other run: they read hostile input again and again, whatever the date is. */
export const fullRunsOnly = [
  'test/platforms/meta-sandbox.test.ts',
  'test/platforms/paths.test.ts',
  'test/contract/bounded.test.ts',
];
export const fullRuns: Run[] = [0, 6, 12, 18, 4].flatMap((at) => matrix[at] ?? []);

/** The whole suite: on a leap day years ahead, and across the next midnight. */
export const wholeRuns = (now: Date): Run[] => [
  { at: '2032-02-29T10:00:00Z', zone: 'America/St_Johns' },
  { at: `${now.toISOString().slice(0, 10)}T23:50:00Z`, zone: 'America/St_Johns' },
];

/** How far the clock of a run is moved, as faketime takes it: an offset, so that processes which start later agree. */
export const offsetOf = ({ at }: Run, now: Date): string => {
  const seconds = Math.round((Date.parse(at) - now.getTime()) / 1000);
  return `${seconds < 0 ? '' : '+'}${seconds}s`;
};

/** Programs that hang under faketime; with commands of their names in front, tests start them on the real clock. */
export const onRealTime = [
  'redis-server',
  'redis-sentinel',
  'valkey-server',
  'valkey-sentinel',
  'chromium',
  'chromium-browser',
];
