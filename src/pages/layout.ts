import { html, raw } from 'hono/html';
import { sha256 } from '../lib/hash.ts';
import type { Caller } from '../services/context.ts';
import { navigation } from './navigation.ts';
import type { Session, SessionUse } from './session-cookie.ts';
import { css } from './style.ts';

export type Html = ReturnType<typeof html>;
/** Values of a template: strings are escaped, templates are not. */
export type Content = Html | string | number | false | undefined | null | Content[];

export const styleHref = `/style.css?v=${sha256(css).slice(0, 12)}`;

/** A page that requires a login. */
export interface Place {
  use: SessionUse;
  path: `/${SessionUse}`;
  name: string;
  /** The heading above the login form, and what the page shows. */
  heading: string;
  purpose: string;
}

/** Who sees a page, in which session. */
export interface Viewer {
  place: Place;
  caller: Caller;
  session: Session;
}

export interface Frame {
  title: string;
  /** Path of the page. */
  path: string;
  /** Present after login. */
  viewer?: Viewer;
  /** Reloads the page after this many seconds, or loads a URL then, while something is in progress. */
  refresh?: string | number;
}

/** The layout of all pages; it loads nothing from other hosts and needs no script. */
export const frame = ({ title, path, viewer, refresh }: Frame, content: Content): Html =>
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
        <header>${raw(navigation(path))} ${viewer && signOutForm(viewer)}</header>
        <main>${content}</main>
      </body>
    </html>`;

const signOutForm = ({ place, caller, session }: Viewer): Html =>
  html`<form method="post" action="${place.path}/logout">
    <span class="quiet text">${caller.userName || caller.email}</span>
    <input type="hidden" name="token" value="${session.token}" />
    <button class="plain">Sign out</button>
  </form>`;

/** The login form: one API key. */
export const signInPage = ({ path, name, heading, purpose }: Place, error?: string): Html =>
  frame(
    { title: `Sign in · ${name}`, path },
    html`<section class="card narrow">
      <h1>${heading}</h1>
      <p>${purpose}</p>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      <form class="stack" method="post" action="${path}/login">
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

export const errorPage = (place: Place, message: string, { path, viewer }: Pick<Frame, 'path' | 'viewer'>): Html =>
  frame(
    { title: `Not done · ${place.name}`, path, viewer },
    html`<section class="card narrow">
      <h1>That was not done</h1>
      <p class="error text" role="alert">${message}</p>
      <p><a href="${place.path}">Back to ${place.name}</a></p>
    </section>`,
  );
