import { html } from 'hono/html';
import type { Attempt, Delivery } from '../../contract/delivery.ts';
import type { Webhook } from '../../contract/webhook.ts';
import { frame, type Content, type Html, type Viewer } from '../layout.ts';
import { badge, instant } from '../parts.ts';
import { mayPress, pressForm, stateBadge } from './parts.ts';

/** States that change within moments. */
const moving = new Set<Delivery['state']>(['pending', 'sending', 'retrying']);
const refreshSeconds = 2;

/** One delivery with its attempts; `webhook` is absent if it was deleted. */
export const deliveryPage = (viewer: Viewer, delivery: Delivery, webhook: Webhook | undefined): Html =>
  frame(
    {
      title: `${delivery.event} · Deliveries`,
      path: `/deliveries/${delivery._id}`,
      viewer,
      refresh: moving.has(delivery.state) ? refreshSeconds : undefined,
    },
    html`<p><a href="/deliveries">All deliveries</a></p>
      <h1>${delivery.event} ${stateBadge(delivery)}</h1>
      <section class="card">
        <dl>
          ${fact('Webhook', webhook ? html`<span class="text">${webhook.name}</span>` : 'deleted')}
          ${webhook && fact('Address', html`<span class="text">${webhook.url}</span>`)}
          ${fact('Event id', html`<code>${delivery.eventId}</code>`)} ${fact('Made by', made[delivery.trigger])}
          ${fact('Made at', instant(delivery.createdAt))}
          ${delivery.nextAttemptAt && fact('Next attempt', instant(delivery.nextAttemptAt))}
        </dl>
        ${redeliverButton(viewer, delivery, webhook)}
      </section>
      <h2>Attempts</h2>
      ${delivery.attempts.length === 0 ? html`<p>None yet.</p>` : delivery.attempts.toReversed().map(attemptCard)}`,
  );

const made = { auto: 'the event', test: 'a test', manual: 'manually by the owner', recover: 'a recovery' };

const fact = (name: string, value: Content): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;

/** The button, or the reason why there is none. */
function redeliverButton(
  viewer: Viewer,
  { trigger, webhookId, eventId }: Delivery,
  webhook: Webhook | undefined,
): Content {
  if (!mayPress(viewer) || !webhook) return undefined;
  if (trigger === 'test') return html`<p class="quiet">A test cannot be redelivered; send a new one.</p>`;
  if (!webhook.isActive) return html`<p class="quiet">The webhook is disabled: enable it to redeliver.</p>`;
  return pressForm(viewer, { action: 'redeliver', label: 'Send again', fields: { webhookId, eventId } });
}

const tones = { success: 'good', failure: 'bad', unknown: 'open' } as const;

const attemptCard = (attempt: Attempt): Html =>
  html`<article class="card">
    <h3>
      Attempt ${attempt.no} ${badge(tones[attempt.outcome], attempt.outcome)}
      ${attempt.isProbe && badge('off', 'probe')}
    </h3>
    <dl>
      ${fact('Started', instant(attempt.startedAt))} ${fact('Took', `${attempt.durationMs} ms`)}
      ${fact('Status', attempt.status ?? 'no answer')} ${attempt.errorClass && fact('Fault', attempt.errorClass)}
      ${attempt.remoteAddress && fact('Reached', html`<code>${attempt.remoteAddress}</code>`)}
      ${attempt.signingKeyIds.length > 0 && fact('Signed with', html`<code>${attempt.signingKeyIds.join(', ')}</code>`)}
    </dl>
    ${
      attempt.requestHeaders.length > 0 &&
      html`<h4>Headers sent</h4>
        <p class="quiet">Names only: values may be secrets.</p>
        <ul class="names">
          ${attempt.requestHeaders.map((name) => html`<li><code>${name}</code></li>`)}
        </ul>`
    }
    ${responseHeaders(attempt)}
    ${
      attempt.responseBody &&
      html`<h4>Answer</h4>
        <pre tabindex="0" aria-label="Answer">${attempt.responseBody}</pre>`
    }
  </article>`;

function responseHeaders({ responseHeaders: headers }: Attempt): Content {
  const entries = Object.entries(headers ?? {});
  if (entries.length === 0) return undefined;
  return html`<h4>Headers of the answer</h4>
    <dl class="headers">${entries.map(([name, value]) => fact(name, html`<span class="text">${value}</span>`))}</dl>`;
}
