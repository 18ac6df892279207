import { html } from 'hono/html';
import { sha256 } from '../../lib/hash.ts';
import { css } from './style.ts';

export type Html = ReturnType<typeof html>;
/** Values of a template: strings are escaped, templates are not. */
export type Content = Html | string | number | false | undefined | null | Content[];

export const styleHref = `/deliveries/style.css?v=${sha256(css).slice(0, 12)}`;

export interface Frame {
  title: string;
  /** The signed-in caller and the CSRF token of the forms; absent before login. */
  person?: { name: string; token: string };
  /** Reloads the page after this many seconds while something is in progress. */
  refresh?: number;
}

/** The layout of all pages; it loads nothing from other hosts and needs no script. */
export const frame = ({ title, person, refresh }: Frame, content: Content): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refresh && html`<meta http-equiv="refresh" content="${refresh}" />`}
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="${styleHref}" />
      </head>
      <body>
        <header>
          <a class="brand" href="/deliveries">Deliveries</a>
          ${
            person &&
            html`<form method="post" action="/deliveries/logout">
              <span class="quiet text">${person.name}</span>
              <input type="hidden" name="token" value="${person.token}" />
              <button class="plain">Sign out</button>
            </form>`
          }
        </header>
        <main>${content}</main>
      </body>
    </html>`;

/** The login form: one API key. */
export const signInPage = (error?: string): Html =>
  frame(
    { title: 'Sign in · Deliveries' },
    html`<section class="card narrow">
      <h1>Webhook deliveries</h1>
      <p>What was sent to your webhooks, what came back, and a button to send it again.</p>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      <form class="stack" method="post" action="/deliveries/login">
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          required
          autofocus
          autocomplete="off"
          spellcheck="false"
          placeholder="sk_..."
        />
        <button>Sign in</button>
      </form>
      <p class="quiet">For eight hours, in this browser. The key itself is not kept.</p>
    </section>`,
  );

export const errorPage = (message: string, person?: Frame['person']): Html =>
  frame(
    { title: 'Not done · Deliveries', person },
    html`<section class="card narrow">
      <h1>That was not done</h1>
      <p class="error text" role="alert">${message}</p>
      <p><a href="/deliveries">Back to the log</a></p>
    </section>`,
  );
