import { html } from 'hono/html';
import type { AdReport } from '../../contract/report.ts';
import type { Content, Html } from '../layout.ts';
import { daysIn, type Day } from './days.ts';
import { dayText, money, rangeText } from './format.ts';
import { gapReasons } from './words.ts';

const width = 720;
const height = 160;

/** Coordinates of values in the chart. */
interface Scale {
  step: number;
  y: (value: number) => number;
}

/** Spend as a bar for each day, from a zero line. Days that can change are hatched; unread days are a labelled gap. */
export function spendChart(report: AdReport): Html {
  const days = daysIn(report, 'spend');
  const scale = scaleOf(days);
  const text = summarize(report, days);
  return html`<figure class="spend">
      <svg viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="spend-title" aria-describedby="spend-desc">
        <title id="spend-title">Spend per day</title>
        <desc id="spend-desc">${text}</desc>
        <defs>
          <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect class="hatch-ground" width="6" height="6" />
            <rect class="hatch-line" width="3" height="6" />
          </pattern>
        </defs>
        ${report.missing.map((gap) => gapMark(gap, days, scale))}
        ${days.map((day, at) => bar(day, at, { scale, currency: report.currency }))}
        <line class="zero" x1="0" x2="${width}" y1="${scale.y(0)}" y2="${scale.y(0)}" />
      </svg>
      <figcaption>${text}${legend(report, days)}</figcaption>
    </figure>
    <details>
      <summary>Spend per day as a table</summary>
      ${daysTable(report, days)}
    </details>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** Credits make days negative, so the zero line is not always at the bottom. */
function scaleOf(days: Day[]): Scale {
  const values = days.map(({ value }) => value ?? 0);
  const [min, max] = [Math.min(0, ...values), Math.max(0, ...values)];
  const range = max - min || 1;
  return { step: width / days.length, y: (value) => round(1 + ((max - value) / range) * (height - 2)) };
}

function bar(
  { date, value, isProvisional }: Day,
  at: number,
  { scale, currency }: { scale: Scale; currency: string },
): Content {
  if (typeof value !== 'number') return undefined;
  const { step, y } = scale;
  const [top, bottom] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
  const place = html`x="${round(at * step + step * 0.1)}" width="${round(step * 0.8)}" y="${top}"
  height="${round(bottom - top)}"`;
  const look = isProvisional ? html`class="provisional" fill="url(#hatch)"` : html`class="final"`;
  return html`<rect ${look} ${place}
    ><title>${dayText(date)}: ${money(value, currency)}${isProvisional && ', may change'}</title></rect
  >`;
}

function gapMark({ fromDate, toDate, reason }: AdReport['missing'][number], days: Day[], { step }: Scale): Content {
  const first = days.findIndex(({ date }) => date >= fromDate);
  const last = days.findLastIndex(({ date }) => date <= toDate);
  if (first === -1 || last < first) return undefined;
  const [x, size] = [round(first * step), round((last - first + 1) * step)];
  return html`<g class="gap">
    <title>${rangeText(fromDate, toDate)}: ${gapReasons[reason]}</title>
    <rect x="${x}" y="0" width="${size}" height="${height}" />
    <text x="${round(x + size / 2)}" y="${height / 2}" text-anchor="middle">no figures</text>
  </g>`;
}

function summarize({ fromDate, toDate, currency, totals }: AdReport, days: Day[]): string {
  const known = days.filter((day): day is Day & { value: number } => typeof day.value === 'number');
  const first = known[0];
  const range = `From ${rangeText(fromDate, toDate)}`;
  if (!first) return `${range}: no figures`;
  const most = known.reduce((best, day) => (day.value > best.value ? day : best), first);
  const sum = typeof totals?.spend === 'number' ? `${money(totals.spend, currency)} in total, ` : '';
  return `${range}: ${sum}at most ${money(most.value, currency)} a day, on ${dayText(most.date)}`;
}

function legend({ missing }: AdReport, days: Day[]): Content {
  const hasProvisional = days.some(({ value, isProvisional }) => typeof value === 'number' && isProvisional);
  return html`${hasProvisional && '. Hatched days may still change'}.${missing.map(
    ({ fromDate, toDate, reason }) => ` ${rangeText(fromDate, toDate)}: ${gapReasons[reason]}.`,
  )}`;
}

const daysTable = ({ currency }: AdReport, days: Day[]): Html =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Day</th>
        <th scope="col" class="number">Spend</th>
        <th scope="col">Note</th>
      </tr>
    </thead>
    <tbody>
      ${days.map(
        ({ date, value, isProvisional }) =>
          html`<tr>
            <th scope="row">${dayText(date)}</th>
            <td class="number">${typeof value === 'number' ? money(value, currency) : '–'}</td>
            <td>
              ${value === undefined ? 'not read' : value === null ? 'not reported' : isProvisional && 'may change'}
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`;
