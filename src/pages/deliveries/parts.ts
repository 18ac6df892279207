import { html } from 'hono/html';
import type { Delivery, DeliveryState } from '../../contract/delivery.ts';
import { newId } from '../../lib/id.ts';
import type { Caller } from '../../services/context.ts';
import type { Session } from './session.ts';
import type { Content, Html } from './layout.ts';

/** The viewer and the session. */
export interface Viewer {
  caller: Caller;
  session: Session;
}

export const mayPress = ({ caller }: Viewer): boolean => caller.permission === 'read-write';

export const personOf = ({ caller, session }: Viewer): { name: string; token: string } => ({
  name: caller.userName || caller.email,
  token: session.token,
});

const tones: Record<DeliveryState, 'good' | 'bad' | 'open' | 'off'> = {
  pending: 'open',
  sending: 'open',
  retrying: 'open',
  waiting: 'open',
  held: 'open',
  skipped: 'off',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'off',
};

export const badge = (tone: string, text: string): Html => html`<span class="badge ${tone}">${text}</span>`;
export const stateBadge = ({ state }: Pick<Delivery, 'state'>): Html => badge(tones[state], state);

/** Formats a time in UTC to the second, the same for every reader. */
export const instant = (at: string | null): Content =>
  at === null
    ? 'never'
    : html`<time datetime="${at}"
        >${at.slice(0, 10)} ${at.slice(11, 19)} <abbr title="Coordinated Universal Time">UTC</abbr></time
      >`;

export interface Press {
  action: 'redeliver' | 'test';
  label: string;
  fields: Record<string, string>;
}

/** One button: a form with the CSRF token and an id that makes a second click a no-op. */
export const pressForm = ({ session }: Viewer, { action, label, fields }: Press): Html =>
  html`<form method="post" action="/deliveries/${action}">
    ${Object.entries({ ...fields, token: session.token, once: newId() }).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )}
    <button>${label}</button>
  </form>`;
