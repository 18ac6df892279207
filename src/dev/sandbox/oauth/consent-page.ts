import { html, raw } from 'hono/html';
import type { Asking } from './consent.ts';
import type { ConsentPerson } from '../platform.ts';

type Html = ReturnType<typeof html>;

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: color-mix(in srgb, currentColor 20%, transparent); --accent: light-dark(#1f5fbf, #7db2ff); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr); place-items: center; padding: 1.5rem; background: light-dark(#f3f4f6, #121417); color: light-dark(#1c1f23, #e8eaed); }
main { width: min(30rem, 100%); padding: 2rem; border: 1px solid var(--line); border-radius: .9rem; background: light-dark(#fff, #1c1f24); box-shadow: 0 .5rem 2rem rgb(0 0 0 / .08); }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 .5rem; text-wrap: balance; }
p { margin: 0 0 1rem; } .quiet { font-size: .85rem; opacity: .85; overflow-wrap: anywhere; }
fieldset { border: 0; padding: 0; margin: 1.25rem 0; min-width: 0; } legend { padding: 0; font-weight: 600; margin-bottom: .4rem; }
ul { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem; padding: 0; margin: .4rem 0 0; }
li label { display: flex; align-items: center; gap: .35rem; cursor: pointer; }
li code { display: block; font-size: .8rem; padding: .2rem .55rem; border-radius: 1rem; background: color-mix(in srgb, currentColor 9%, transparent); overflow-wrap: anywhere; }
.people { border: 1px solid var(--line); border-radius: .6rem; max-height: 17rem; overflow-y: auto; }
.people > * { display: flex; align-items: center; gap: .6rem; padding: .6rem .75rem; border-bottom: 1px solid var(--line); }
.people > :last-child { border-bottom: 0; } .people label { display: flex; align-items: center; gap: .6rem; cursor: pointer; flex: none; } .people input[type=radio] { flex: none; margin: 0; } .people > label { flex: 1; }
.people > :has(:checked) { background: color-mix(in srgb, var(--accent) 12%, transparent); }
.people span { overflow-wrap: anywhere; }
input { accent-color: var(--accent); font: inherit; } input[type=text] { flex: 1; min-width: 0; padding: .4rem .6rem; border: 1px solid light-dark(#767b82, #8b9199); border-radius: .4rem; background: transparent; color: inherit; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; }
button { flex: 1; min-height: 2.75rem; padding: .5rem 1rem; border-radius: .5rem; border: 1px solid light-dark(#767b82, #8b9199); background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer; }
button[value=approve] { background: var(--accent); border-color: var(--accent); color: light-dark(#fff, #0b1a30); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

const frame = (title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;

/** The largest list that is usable without a search. */
const most = 50;

const person = ({ id, name, about }: ConsentPerson, isChosen: boolean): Html =>
  html`<label
    ><input type="radio" name="person" value="${id}" ${isChosen ? 'checked' : ''} /><span
      >${name} <span class="quiet">${[about, id].filter(Boolean).join(' · ')}</span></span
    ></label
  >`;

/** Preselects only the user named by `login_hint`. */
function persons(people: ConsentPerson[], hint: string | undefined): Html {
  const meant = people.find(({ id, name, about }) => hint !== undefined && [id, name, about].includes(hint));
  const shown = meant ? [meant, ...people.filter((one) => one !== meant)] : people;
  return html`<fieldset>
    <legend>Who are you there?</legend>
    <div class="people">
      ${shown.slice(0, most).map((one) => person(one, one === meant))}
      <div>
        <label>
          <input type="radio" name="person" value="new" ${meant ? '' : 'checked'} />
          <span>Someone new:</span>
        </label>
        <input type="text" name="name" aria-label="Name of the new person" placeholder="Name" maxlength="80" />
      </div>
    </div>
  </fieldset>`;
}

const box = (scope: string): Html =>
  html`<li>
    <label><input type="checkbox" name="granted" value="${scope}" checked /> <code>${scope}</code></label>
  </li>`;

/** Shows client, scopes and users in a form that works without scripts. */
export function consentPage(asking: Asking, people: ConsentPerson[]): Html {
  const { platform, asker, scopes, redirectUri, params } = asking;
  return frame(
    `${asker}: consent`,
    html`<h1>${asker} asks to use your account on ${platform}</h1>
      <p>This is the sandbox: nothing here reaches a real platform.</p>
      <form method="post" action="/consent/${platform}">
        ${Object.entries(params).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <h2 class="quiet" id="scopes">It asks for</h2>
        <ul aria-labelledby="scopes">
          ${scopes.map(box)}
        </ul>
        ${persons(people, params['login_hint'])}
        <div class="buttons">
          <button name="decision" value="approve" formaction="/consent/${platform}?boxes=1">Approve</button>
          <button name="decision" value="refuse">Refuse</button>
        </div>
      </form>
      <p class="quiet" style="margin: 1rem 0 0">You return to ${new URL(redirectUri).origin}.</p>`,
  );
}

/** Shown if there is no valid redirect URI. */
export const rejectionPage = (text: string): Html =>
  frame(
    'Invalid consent request',
    html`<h1>Invalid consent request</h1>
      <p>${text}</p>
      <p class="quiet">Nothing was granted. You can close this page.</p>`,
  );
