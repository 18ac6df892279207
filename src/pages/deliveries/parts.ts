import { html } from 'hono/html';
import type { Delivery, DeliveryState } from '../../contract/delivery.ts';
import { newId } from '../../lib/id.ts';
import type { Html, Viewer } from '../layout.ts';
import { badge } from '../parts.ts';

export const mayPress = ({ caller }: Viewer): boolean => caller.permission === 'read-write';

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

export const stateBadge = ({ state }: Pick<Delivery, 'state'>): Html => badge(tones[state], state);

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
