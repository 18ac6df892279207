import { html } from 'hono/html';
import type { Content, Html } from './layout.ts';

export const badge = (tone: 'good' | 'bad' | 'open' | 'off', text: string): Html =>
  html`<span class="badge ${tone}">${text}</span>`;

/** Formats a time in UTC to the second, the same for every reader. */
export const instant = (at: string | null): Content =>
  at === null
    ? 'never'
    : html`<time datetime="${at}"
        >${at.slice(0, 10)} ${at.slice(11, 19)} <abbr title="Coordinated Universal Time">UTC</abbr></time
      >`;
