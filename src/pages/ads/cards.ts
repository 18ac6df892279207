import { html } from 'hono/html';
import type { AdReport } from '../../contract/report.ts';
import type { Metric } from '../../contract/reporting/metrics.ts';
import type { Content, Html } from '../layout.ts';
import { change, count, money, rangeText } from './format.ts';
import { reasonOf } from './words.ts';

type Text = (value: number, currency: string) => string;

const cards: { metric: Metric; heading: string; text: Text }[] = [
  { metric: 'spend', heading: 'Spend', text: money },
  { metric: 'impressions', heading: 'Impressions', text: count },
  { metric: 'clicks', heading: 'Clicks', text: count },
  { metric: 'conversions', heading: 'Conversions', text: count },
];

/** The totals, each with its change against the preceding range of the same length. */
export const summaryCards = (report: AdReport, before: AdReport | undefined): Html =>
  html`<dl class="totals">
      ${cards.map(
        ({ metric, heading, text }) =>
          html`<div class="card">
            <dt>${heading}</dt>
            <dd class="figure">${totalOf(report, metric, text)}</dd>
            <dd class="quiet">${changeOf({ report, before }, metric, text)}</dd>
          </div>`,
      )}
    </dl>
    ${before?.totals && html`<p class="quiet">Before: ${rangeText(before.fromDate, before.toDate)}.</p>`}`;

function totalOf(report: AdReport, metric: Metric, text: Text): Content {
  const value = report.totals?.[metric];
  if (typeof value === 'number') return text(value, report.currency);
  return dash(report.totals ? reasonOf(report, metric) : 'Days are missing');
}

/** An unknown figure is a dash with the reason. */
export const dash = (reason: string): Html =>
  html`<span title="${reason}"><span aria-hidden="true">–</span><span class="unseen">${reason}</span></span>`;

function changeOf(
  { report, before }: { report: AdReport; before: AdReport | undefined },
  metric: Metric,
  text: Text,
): Content {
  const [now, then] = [report, before].map((one) => one?.totals?.[metric]);
  if (typeof now !== 'number' || typeof then !== 'number') return dash('No complete figures to compare with');
  const known = `${text(then, report.currency)} before`;
  return then === 0 ? known : `${change((now - then) / then)}, ${known}`;
}
