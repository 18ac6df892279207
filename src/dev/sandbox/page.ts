import { html, raw } from 'hono/html';
import { faultNames } from './faults.ts';
import type { Ledger } from './request-log.ts';
import type { SimulatedPlatform } from './platform.ts';

type Html = ReturnType<typeof html>;

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 0 auto; padding: 1.5rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); vertical-align: top; }
.wide { overflow-x: auto; } td { min-width: 6rem; max-width: 24rem; overflow-wrap: break-word; } th { white-space: nowrap; }
summary { overflow-wrap: anywhere; }
details { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .35rem 0; }
summary { cursor: pointer; } pre { overflow-x: auto; font-size: .8rem; padding: .6rem; background: color-mix(in srgb, currentColor 8%, transparent); }
.ok { color: light-dark(#1a7f37, #3fb950); } .bad { color: light-dark(#cf222e, #f85149); } footer { margin-top: 3rem; font-size: .85rem; }
`;

/** Refreshes every few seconds and keeps open sections open. */
const refresh = `
const tick = async () => {
  try {
    const text = document.hidden || !document.getElementById('live').checked ? undefined : await (await fetch('/')).text();
    const next = text && new DOMParser().parseFromString(text, 'text/html').getElementById('content');
    if (next) {
      for (const { id } of document.querySelectorAll('details[open]')) next.querySelector('#' + id)?.setAttribute('open', '');
      const focused = document.activeElement?.closest('details')?.id;
      document.getElementById('content').replaceWith(next);
      if (focused) document.querySelector('#' + focused + ' summary')?.focus();
    }
  } catch {}
  setTimeout(tick, 3000);
};
setTimeout(tick, 3000);
`;

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

const table = (kind: string, rows: Record<string, unknown>[], total = rows.length): Html => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return html`<h2>${kind} (${total})</h2>
    ${
      rows.length === 0
        ? html`<p>None yet.</p>`
        : html`<div class="wide">
            <table>
              <thead>
                <tr>
                  ${columns.map((name) => html`<th scope="col">${name}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${rows.slice(0, 50).map(
                  (row) =>
                    html`<tr>
                      ${columns.map((name) => html`<td>${String(row[name] ?? '')}</td>`)}
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }`;
};

const request = (entry: ReturnType<Ledger['list']>[number]): Html =>
  html`<details id="request-${entry.no}">
    <summary>
      <span class="${entry.status > 0 && entry.status < 400 ? 'ok' : 'bad'}">${entry.status || 'no response'}</span>
      ${entry.method} ${entry.path} <time datetime="${entry.at}">${entry.at.slice(11, 19)}</time>
    </summary>
    <pre>${json({ query: entry.query, body: entry.body, answer: entry.answer })}</pre>
  </details>`;

/** Overview of the simulators' objects and recent requests. */
export function page(platforms: SimulatedPlatform[], ledger: Ledger): Html {
  const entries = ledger.list({}).slice(-100).toReversed();
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Platform sandbox</title>
        <link rel="icon" href="data:," />
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <main>
          <h1>Platform sandbox</h1>
          <p>
            The platforms as this machine plays them: what they hold, and what they received. <a href="/">Reload</a>
            <label><input id="live" type="checkbox" checked /> every 3 seconds</label>
          </p>
          <div id="content">
            ${platforms.flatMap(({ name, holds }) => holds().map(({ kind, rows, total }) => table(`${name}: ${kind}`, rows, total)))}
            <h2>Last requests</h2>
            ${entries.length === 0 ? html`<p>Nothing has been received yet.</p>` : entries.map(request)}
          </div>
        </main>
        <footer>
          <p>
            As JSON: <a href="/ledger">/ledger</a>. Sample media: <a href="/media/landscape.png">landscape.png</a>,
            <a href="/media/square.png">square.png</a>, <a href="/media/wide.png">wide.png</a>,
            <a href="/media/thumbnail.png">thumbnail.png</a>, <a href="/media/video.mp4">video.mp4</a>.
          </p>
          <p>
            Failures on demand: name a campaign <code>Sale [fault:timeout_after]</code> or
            <code>Sale [fault:http_500@adsets]</code>, or POST <code>{"platform", "fault"}</code> to
            <a href="/control/faults">/control/faults</a> (also <code>match: {method, path}</code>, <code>times</code>,
            <code>skip</code>, <code>token</code>), or send the header <code>X-Sandbox-Fault</code>. Known faults:
            ${faultNames.join(', ')}. An ad named <code>[review:pending]</code> or <code>[review:rejected]</code> stays
            in review or is rejected.
          </p>
        </footer>
        <script>
          ${raw(refresh)};
        </script>
      </body>
    </html>`;
}
