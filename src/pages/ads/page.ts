import { html } from 'hono/html';
import { AppError } from '../../contract/error.ts';
import type { DatePreset } from '../../contract/report-input.ts';
import type { AdReport } from '../../contract/report.ts';
import type { ReportableAccount } from '../../services/reports/reportable-accounts.ts';
import { frame, type Content, type Frame, type Html, type Viewer } from '../layout.ts';
import { summaryCards } from './cards.ts';
import { spendChart } from './chart.ts';
import { rangeText } from './format.ts';
import { figuresTable, headingOf, type Table } from './table.ts';
import { adsPath, csvPath, defaultPreset, hrefOf, presets, type View } from './view.ts';
import { freshness, gapsText, problemText } from './words.ts';

/** The reports that the page shows. */
export interface Figures {
  /** Days of the ad account, campaign or ad set that is shown. */
  days: AdReport;
  table: Table;
  /** The preceding range of the same length, if it is complete. */
  before?: AdReport;
}

export interface AdsPage {
  view: View;
  accounts: ReportableAccount[];
  /** Names of the campaign and the ad set whose children are shown. */
  path?: { campaign?: string; adSet?: string };
  /** Absent while the platform has not responded, or if there is a problem. */
  figures?: Figures;
  problem?: AppError;
}

const refreshSeconds = 15;
const maxTries = 10;

const isLoading = ({ figures, problem, accounts }: AdsPage): boolean => {
  if (problem || accounts.length === 0) return false;
  if (!figures) return true;
  return [figures.days, figures.table.report].some(({ missing }) => missing.some(({ reason }) => reason === 'loading'));
};

/** The page: totals, spend per day, and a table of campaigns, ad sets or ads. */
export const adsPage = (viewer: Viewer, page: AdsPage): Html =>
  frame(
    { title: 'Ads', path: adsPath, viewer, refresh: refreshOf(page) },
    page.accounts.length === 0 ? noAccount() : html`${heading(page)} ${choices(page)} ${content(page)}`,
  );

/** Makes a page that is loading reload itself, a limited number of times. */
function refreshOf(page: AdsPage): Frame['refresh'] {
  const tries = Number(page.view.tries ?? 0);
  if (!isLoading(page) || !(tries < maxTries)) return undefined;
  const next = hrefOf(page.view, { page: page.view.page, tries: String(tries + 1) });
  return `${refreshSeconds}; url=${next}`;
}

const noAccount = (): Html =>
  html`<h1>Ads</h1>
    <section class="card">
      <p>No account with ads is connected.</p>
      <p>
        Connect one with <code>GET /v1/connect/{platform}</code>; the <a href="/docs">REST reference</a> describes it.
      </p>
    </section>`;

function heading({ view, accounts, figures, path }: AdsPage): Html {
  const account = accounts.find(({ _id }) => _id === view.account);
  const adAccount = account?.adAccounts.find(({ id }) => id === view.adAccount);
  const report = figures?.days;
  const facts = [
    account && `${account.displayName} on ${account.platform}`,
    report?.currency ?? adAccount?.currency,
    report && `days are in ${report.timeZone}`,
  ];
  return html`<h1><span class="text">${adAccount?.name ?? view.adAccount ?? 'Ads'}</span></h1>
    <p class="quiet">${facts.filter(Boolean).join(' · ')}</p>
    ${breadcrumb(view, path)}`;
}

function breadcrumb(view: View, path: AdsPage['path']): Content {
  if (!view.campaign && !view.adSet) return undefined;
  const all = hrefOf(view, { level: 'campaign', campaign: undefined, adSet: undefined });
  const campaign = view.campaign && (path?.campaign ?? view.campaign);
  const name = (text: string): Html => html`<span class="text">${text}</span>`;
  return html`<nav aria-label="Position">
    <ol class="path">
      <li><a href="${all}">All campaigns</a></li>
      ${
        campaign &&
        html`<li>
          ${view.adSet ? html`<a href="${hrefOf(view, { level: 'ad_set', adSet: undefined })}">${name(campaign)}</a>` : name(campaign)}
        </li>`
      }
      ${view.adSet && html`<li>${name(path?.adSet ?? view.adSet)}</li>`}
    </ol>
  </nav>`;
}

/** Links and a form to choose the ad account and the days. */
const choices = (page: AdsPage): Html =>
  html`${adAccountChoice(page)}
    <nav aria-label="Ranges">
      <ul class="links">
        ${presets.map(([preset, name]) => presetLink(page.view, preset, name))}
      </ul>
    </nav>
    ${datesForm(page)}`;

function presetLink(view: View, preset: DatePreset, name: string): Html {
  const isShown = !view.from && !view.to && (view.preset ?? defaultPreset) === preset;
  const href = hrefOf(view, { preset, from: undefined, to: undefined });
  return html`<li><a href="${href}" ${isShown && html` aria-current="true"`}>${name}</a></li>`;
}

function adAccountChoice({ view, accounts }: AdsPage): Content {
  const all = accounts.flatMap((account) =>
    (account.adAccounts.length > 0 ? account.adAccounts : [undefined]).map((adAccount) => ({ account, adAccount })),
  );
  if (all.length < 2) return undefined;
  const { preset, from, to } = view;
  return html`<details>
    <summary>Another ad account</summary>
    <ul>
      ${all.map(({ account: { _id, displayName, platform }, adAccount }) => {
        const href = hrefOf({ preset, from, to }, { account: _id, adAccount: adAccount?.id });
        const name = adAccount ? `${adAccount.name} (${adAccount.currency})` : 'Its ad account';
        const isShown = _id === view.account && adAccount?.id === view.adAccount;
        return html`<li>
          <a class="text" href="${href}" ${isShown && html` aria-current="true"`}>${name}</a>
          <span class="quiet text">${displayName} on ${platform}</span>
        </li>`;
      })}
    </ul>
  </details>`;
}

/** The form keeps the parts of the URL that it has no field for. */
function datesForm({ view, figures }: AdsPage): Html {
  const { account, adAccount, level, campaign, adSet, sort } = view;
  const kept = Object.entries({ account, adAccount, level, campaign, adSet, sort });
  const { fromDate = view.from, toDate = view.to } = figures?.days ?? {};
  const field = (name: string, label: string, value: string | undefined): Html =>
    html`<label>${label} <input type="date" name="${name}" value="${value ?? ''}" required /></label>`;
  return html`<form class="filter" method="get" action="${adsPath}">
    ${kept.map(([name, value]) => value && html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${field('from', 'From', fromDate)} ${field('to', 'To, inclusive', toDate)}
    <button class="plain">Show</button>
  </form>`;
}

function content(page: AdsPage): Content {
  const { problem, figures } = page;
  if (problem) return html`<p class="error text" role="alert">${problemText(problem.message)}</p>`;
  if (!figures) return loading(page);
  const { days, table, before } = figures;
  const { level, rows } = table.report;
  return html`${isLoading(page) && loading(page)} ${notes(figures)} ${summaryCards(days, before)} ${spendChart(days)}
    <h2>${headingOf(level)}</h2>
    ${rows.length === 0 ? noDelivery(table.report) : figuresTable(table)}
    ${table.report.isComplete && html`<p><a href="${hrefOf(page.view, {}, csvPath)}" download>Download as CSV</a></p>`}`;
}

function loading(page: AdsPage): Html {
  const { figures } = page;
  const progress = figures?.table.report.progress;
  const read = progress ? ` ${progress.done} of ${progress.total} days are read.` : '';
  const next = refreshOf(page)
    ? `The page reloads itself every ${refreshSeconds} seconds.`
    : 'Reload the page to look again.';
  return html`<p class="notice" role="status">Figures are being loaded from the platform.${read} ${next}</p>`;
}

/** The age of the figures, and how the report differs from the request. */
function notes({ days, table }: Figures): Html {
  const warnings = [days, table.report].flatMap(({ warnings: given = [] }) => given.map(({ message }) => message));
  const gaps = [days, table.report].flatMap(gapsText);
  return html`<p>${freshness(days)}</p>
    ${[...new Set([...warnings, ...gaps])].map((text) => html`<p class="notice text">${text}</p>`)}`;
}

const noDelivery = ({ fromDate, toDate, isComplete }: AdReport): Html =>
  isComplete
    ? html`<p>Nothing was delivered ${fromDate === toDate ? 'on' : 'from'} ${rangeText(fromDate, toDate)}.</p>`
    : html`<p>No figures yet.</p>`;
