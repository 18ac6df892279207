import { html } from 'hono/html';
import type { Html } from '../layout.ts';
import { runsOf, type Day } from './days.ts';

const width = 100;
const height = 24;
const edge = 2;

/** The days of a row as a line from zero up; the row has the figures in words, so readers skip it. */
export function sparkline(days: readonly Pick<Day, 'value'>[]): Html {
  const runs = runsOf(days);
  const max = Math.max(0, ...runs.flat().map(({ value }) => value)) || 1;
  const step = width / Math.max(1, days.length - 1);
  const point = (at: number, value: number): string => {
    const y = height - edge - (Math.max(0, value) / max) * (height - 2 * edge);
    return `${round(at * step)},${round(y)}`;
  };
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" aria-hidden="true" focusable="false">
    ${runs.map(
      (run) =>
        html`<polyline
          points="${pointsOf(run)
            .map(({ at, value }) => point(at, value))
            .join(' ')}"
        />`,
    )}
  </svg>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** A single day is a line of no length, which round ends make a dot. */
const pointsOf = <T>(run: T[]): T[] => (run.length === 1 ? [...run, ...run] : run);
