import { html } from 'hono/html';
import {
  DeliveryState,
  type Delivery,
  type ListDeliveriesInput,
  type ListDeliveriesResult,
} from '../../contract/delivery.ts';
import { eventNames, testEvent } from '../../contract/event.ts';
import type { Webhook } from '../../contract/webhook.ts';
import type { HealthHour } from '../../services/webhooks/webhook-health.ts';
import { healthChart } from './chart.ts';
import { frame, type Content, type Html, type Viewer } from '../layout.ts';
import { badge, instant } from '../parts.ts';
import { mayPress, pressForm, stateBadge } from './parts.ts';

export interface LogPage {
  webhooks: Webhook[];
  health: Map<string, HealthHour[]> | undefined;
  filter: ListDeliveriesInput;
  result: ListDeliveriesResult;
}

/** The user's webhooks with their last day, followed by the delivery log. */
export const logPage = (viewer: Viewer, page: LogPage): Html =>
  frame(
    { title: 'Deliveries', path: '/deliveries', viewer },
    html`<h1>Webhooks</h1>
      ${
        !mayPress(viewer) && html`<p class="quiet">This key is read-only: testing and redelivery are not available.</p>`
      }
      ${
        page.webhooks.length === 0
          ? html`<p>There are no webhooks yet. Create one with <code>POST /v1/webhooks/settings</code>.</p>`
          : html`<div class="cards">${page.webhooks.map((webhook) => webhookCard(viewer, webhook, page.health))}</div>`
      }
      <h2 id="log">Log</h2>
      ${filterForm(page)} ${logList(page)} ${pager(page)}`,
  );

function webhookCard(viewer: Viewer, webhook: Webhook, health: LogPage['health']): Html {
  const hours = health?.get(webhook._id);
  return html`<article class="card">
    <h3 class="text">${webhook.name} ${webhookBadge(webhook)}</h3>
    <p class="quiet text address">${webhook.url}</p>
    ${hours ? healthChart(hours) : html`<p class="quiet">Too many attempts to count here; see the metrics.</p>`}
    <p class="quiet">
      Last success
      ${instant(webhook.lastSuccessAt)}${
        webhook.consecutiveFailures > 0 && html` · ${webhook.consecutiveFailures} consecutive failures`
      }
    </p>
    <div class="row">
      <a href="/deliveries?webhookId=${webhook._id}#log">Its log</a>
      ${mayPress(viewer) && pressForm(viewer, { action: 'test', label: 'Send a test', fields: { webhookId: webhook._id } })}
    </div>
  </article>`;
}

const reasons = { consecutive_failures: 'off after failures', gone: 'off: gone', owner: 'off' };

function webhookBadge({ isActive, disabledReason, nextProbeAt, consecutiveFailures }: Webhook): Html {
  if (!isActive) return badge(disabledReason === 'owner' ? 'off' : 'bad', reasons[disabledReason ?? 'owner']);
  if (nextProbeAt) return badge('open', 'circuit open, probes only');
  return consecutiveFailures > 0 ? badge('open', 'failing') : badge('good', 'on');
}

function filterForm({ webhooks, filter }: LogPage): Html {
  const { webhookId, event, status } = filter;
  const names = webhooks.map(({ _id, name }): [string, string] => [_id, name]);
  const same = (values: readonly string[]): [string, string][] => values.map((value) => [value, value]);
  return html`<form class="filter" method="get" action="/deliveries#log">
    ${choice('webhookId', 'Webhook', { options: names, chosen: webhookId })}
    ${choice('event', 'Event', { options: same([...eventNames, testEvent]), chosen: event })}
    ${choice('status', 'State', { options: same(DeliveryState.options), chosen: status })}
    <button class="plain">Show</button>
  </form>`;
}

const choice = (
  name: string,
  label: string,
  { options, chosen }: { options: [string, string][]; chosen?: string },
): Html =>
  html`<label>
    ${label}
    <select name="${name}">
      <option value="">all</option>
      ${options.map(
        ([value, text]) => html`<option value="${value}" ${value === chosen && html`selected`}>${text}</option>`,
      )}
    </select>
  </label>`;

function logList({ result, webhooks }: LogPage): Content {
  if (result.logs.length === 0) return html`<p>Nothing here.</p>`;
  const nameOf = (id: string): string => webhooks.find(({ _id }) => _id === id)?.name ?? 'a deleted webhook';
  return html`<ol class="log">
    ${result.logs.map((delivery) => entry(delivery, nameOf(delivery.webhookId)))}
  </ol>`;
}

function entry(delivery: Delivery, webhookName: string): Html {
  const { _id, event, attempts, createdAt, trigger } = delivery;
  const last = attempts.at(-1);
  return html`<li>
    <a href="/deliveries/${_id}">${event}</a>
    <span class="text">${webhookName}</span>
    <span>${stateBadge(delivery)}</span>
    <span class="quiet">
      ${attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}${
        last && ` · ${last.status ?? last.errorClass ?? last.outcome}`
      }${trigger !== 'auto' && ` · ${trigger}`}
    </span>
    <span class="quiet when">${instant(createdAt)}</span>
  </li>`;
}

function pager({ filter, result }: LogPage): Content {
  const { webhookId, event, status, cursor } = filter;
  const kept = Object.entries({ webhookId, event, status }).filter(
    (one): one is [string, string] => one[1] !== undefined,
  );
  const href = (more: [string, string][]): string => `/deliveries?${new URLSearchParams([...kept, ...more])}#log`;
  return html`<nav class="row" aria-label="Pages of the log">
    ${cursor && html`<a href="${href([])}">Newest</a>`}
    ${result.nextCursor && html`<a rel="next" href="${href([['cursor', result.nextCursor]])}">Older</a>`}
  </nav>`;
}
