import { html } from 'hono/html';
import type { AdReport, AdReportRow } from '../../contract/report.ts';
import type { Metric } from '../../contract/reporting/metrics.ts';
import type { Content, Html } from '../layout.ts';
import { badge } from '../parts.ts';
import { dash } from './cards.ts';
import type { Day } from './days.ts';
import { amount, count, percent, ratio } from './format.ts';
import { sparkline } from './sparkline.ts';
import { hrefOf, rowsPerPage, type View } from './view.ts';
import { reasonOf } from './words.ts';

export interface Table {
  view: View;
  report: AdReport;
  /** Spend per day of the rows by their id at the platform; absent if it was not read. */
  days: Map<string, Pick<Day, 'value'>[]>;
}

interface Column {
  metric: Metric;
  heading: string;
  isSorted?: boolean;
  text: (value: number, currency: string) => string;
}

const columns: Column[] = [
  { metric: 'spend', heading: 'Spend', isSorted: true, text: amount },
  { metric: 'impressions', heading: 'Impressions', isSorted: true, text: count },
  { metric: 'clicks', heading: 'Clicks', isSorted: true, text: count },
  { metric: 'ctr', heading: 'CTR', text: percent },
  { metric: 'conversions', heading: 'Conversions', isSorted: true, text: count },
  { metric: 'costPerConversion', heading: 'Cost per conversion', text: amount },
  { metric: 'roas', heading: 'ROAS', text: ratio },
];

const nouns: Record<AdReport['level'], [string, string]> = {
  account: ['Ad account', 'Ad accounts'],
  campaign: ['Campaign', 'Campaigns'],
  ad_set: ['Ad set', 'Ad sets'],
  ad: ['Ad', 'Ads'],
};

export const headingOf = (level: AdReport['level']): string => nouns[level][1];

/** The objects of a level with their figures, fifty per page. */
export const figuresTable = (table: Table): Html =>
  html`<section class="wide" aria-label="${headingOf(table.report.level)}" tabindex="0">
      <table class="figures">
        ${head(table)}
        <tbody>
          ${table.report.rows.map((row) => bodyRow(table, row))}
        </tbody>
        ${foot(table.report)}
      </table>
    </section>
    ${pager(table)}`;

function head({ view, report: { level, currency } }: Table): Html {
  const isMoney = ({ text }: Column): boolean => text === amount;
  return html`<thead>
    <tr>
      <th scope="col" ${ariaSort(view, 'name')}>${sortLink(view, 'name', nouns[level][0])}</th>
      <th scope="col">Status</th>
      <th scope="col">Spend per day</th>
      ${columns.map((column) => {
        const { metric, heading, isSorted } = column;
        return html`<th scope="col" class="number" ${ariaSort(view, metric)}>
          ${isSorted ? sortLink(view, metric, heading) : heading}${isMoney(column) && `, ${currency}`}
        </th>`;
      })}
    </tr>
  </thead>`;
}

const sortLink = (view: View, sort: string, text: string): Html =>
  html`<a href="${hrefOf(view, { sort })}">${text}</a>`;

const ariaSort = ({ sort = 'spend' }: View, by: string): Content =>
  sort === by && html` aria-sort="${by === 'name' ? 'ascending' : 'descending'}"`;

const bodyRow = (table: Table, row: AdReportRow): Html =>
  html`<tr>
    <th scope="row">${rowName(table, row)}</th>
    <td>${row.status && badge(tones[row.status], row.status.replaceAll('_', ' '))}</td>
    <td>${sparklineOf(table, row)}</td>
    ${columns.map((column) => cell(table.report, row.metrics, column))}
  </tr>`;

const tones: Record<NonNullable<AdReportRow['status']>, 'good' | 'bad' | 'open' | 'off'> = {
  creating: 'open',
  active: 'good',
  paused: 'off',
  pending_review: 'open',
  rejected: 'bad',
  completed: 'off',
  cancelled: 'off',
  error: 'bad',
  unconfirmed: 'open',
};

/** The name links to the children of the object. */
function rowName({ view, report: { level } }: Table, { name, platformId }: AdReportRow): Html {
  const text = html`<span class="text">${name ?? platformId}</span>`;
  if (level === 'campaign')
    return html`<a href="${hrefOf(view, { level: 'ad_set', campaign: platformId })}">${text}</a>`;
  if (level === 'ad_set') return html`<a href="${hrefOf(view, { level: 'ad', adSet: platformId })}">${text}</a>`;
  return text;
}

function sparklineOf({ days }: Table, { platformId }: AdReportRow): Content {
  const own = days.get(platformId);
  return own && sparkline(own);
}

type Metrics = AdReportRow['metrics'];

/** An unknown figure is a dash with the reason; 0 is a known one. */
function cell(report: AdReport, metrics: Metrics, { metric, text }: Column): Html {
  const value = metrics[metric];
  if (typeof value === 'number') return html`<td class="number">${text(value, report.currency)}</td>`;
  return html`<td class="number">${dash(reasonOf(report, metric))}</td>`;
}

/** The totals of all pages; absent while days are missing. */
function foot(report: AdReport): Content {
  const { totals, level, pagination } = report;
  if (!totals) return undefined;
  const [one, several] = nouns[level];
  const label = pagination.total === 1 ? `Total of 1 ${one}` : `Total of ${pagination.total} ${several}`;
  return html`<tfoot>
    <tr>
      <th scope="row" colspan="3">${label.toLowerCase().replace(/^t/, 'T')}</th>
      ${columns.map((column) => cell(report, totals, column))}
    </tr>
  </tfoot>`;
}

function pager({ view, report: { pagination, level } }: Table): Content {
  const page = Number(view.page ?? 1);
  const pages = Math.ceil(pagination.total / rowsPerPage);
  if (pages < 2) return undefined;
  const link = (to: number, rel: string, text: string): Html =>
    html`<a rel="${rel}" href="${hrefOf(view, { page: to === 1 ? undefined : String(to) })}">${text}</a>`;
  return html`<nav class="row" aria-label="Pages of ${headingOf(level).toLowerCase()}">
    ${page > 1 && link(page - 1, 'prev', 'Previous')}
    <span class="quiet">Page ${page} of ${pages}</span>
    ${page < pages && link(page + 1, 'next', 'Next')}
  </nav>`;
}
