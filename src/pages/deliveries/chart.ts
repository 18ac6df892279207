import { html } from 'hono/html';
import type { HealthHour } from '../../services/webhooks/webhook-health.ts';
import type { Html } from '../layout.ts';

const step = 10;
const above = 36;
const below = 20;
const height = above + below;

/** Accepted attempts rise above the line and others extend below it, hour by hour: readable without colour. */
export function healthChart(hours: HealthHour[]): Html {
  const max = Math.max(1, ...hours.flatMap(({ success, failure }) => [success, failure]));
  const summary = summarize(hours);
  return html`<figure class="chart">
    <svg viewBox="0 0 ${hours.length * step} ${height}" preserveAspectRatio="none" role="img" aria-label="${summary}">
      ${hours.map((hour, at) => bars(hour, at, max))}
      <line x1="0" x2="${hours.length * step}" y1="${above}" y2="${above}" />
    </svg>
    <figcaption>${summary}</figcaption>
  </figure>`;
}

function bars({ at, success, failure }: HealthHour, index: number, max: number): Html {
  const size = (count: number, room: number): number =>
    count === 0 ? 0 : Math.max(2, Math.round((count / max) * (room - 1)));
  const [up, down] = [size(success, above), size(failure, below)];
  const x = index * step + 1;
  const hour = `${at.toISOString().slice(11, 16)} UTC`;
  return html`<g>
    <title>${hour}: ${success} accepted, ${failure} not</title>
    <rect class="room" x="${x}" y="0" width="${step - 2}" height="${height}" />
    <rect class="good" x="${x}" y="${above - up}" width="${step - 2}" height="${up}" />
    <rect class="bad" x="${x}" y="${above}" width="${step - 2}" height="${down}" />
  </g>`;
}

function summarize(hours: HealthHour[]): string {
  const sum = (name: 'success' | 'failure'): number => hours.reduce((total, hour) => total + hour[name], 0);
  const [good, bad] = [sum('success'), sum('failure')];
  if (good + bad === 0) return 'No attempts in the last 24 hours';
  const label = `Last 24 hours: ${good} accepted, ${bad} not`;
  const last = hours.findLast(({ failure }) => failure > 0);
  return last ? `${label}; the last failure in the hour from ${last.at.toISOString().slice(11, 16)} UTC` : label;
}
