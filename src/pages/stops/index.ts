import { html } from 'hono/html';
import type { Hono } from 'hono';
import type { Stop } from '../../contract/stop.ts';
import { listStops } from '../../services/stops/find-stop.ts';
import { frame, type Html, type Place, type Viewer } from '../layout.ts';
import { badge, instant } from '../parts.ts';
import { createSignedInPage, type PageEnv, type SessionOptions } from '../session.ts';

const place: Place = {
  use: 'stops',
  path: '/stops',
  name: 'Stops',
  heading: 'Emergency stops',
  purpose: 'The progress of each stop, and the campaigns that it could not pause.',
};

const refreshSeconds = 3;

/** The page /stops: the progress of emergency stops in the browser. It changes nothing. */
export const createStops = (options: SessionOptions): Hono<PageEnv> =>
  createSignedInPage(options, place, (app) => {
    app.get(place.path, async (c) => {
      const { viewer, ctx } = c.var;
      const { stops } = await ctx.db.whileAvailable(listStops(ctx, { inForce: false }));
      return c.html(stopsPage(viewer, stops));
    });
  });

const stopsPage = (viewer: Viewer, stops: Stop[]): Html => {
  const isRunning = stops.some(({ status }) => status === 'running');
  return frame(
    { title: place.heading, path: place.path, viewer, ...(isRunning && { refresh: refreshSeconds }) },
    html`<h1>${place.heading}</h1>
      ${stops.length === 0 && html`<p>There is no stop. <code>POST /v1/stops</code> starts one.</p>`}
      ${stops.map(stopCard)}`,
  );
};

const tones = { running: 'open', completed: 'bad', lifted: 'off' } as const;
const words = { running: 'Pausing', completed: 'In force', lifted: 'Lifted' };

const stopCard = (stop: Stop): Html =>
  html`<section class="card">
    <h2>${targetOf(stop)} ${badge(tones[stop.status], words[stop.status])}</h2>
    <p>
      ${stop.paused} of ${stop.total} campaigns paused, ${stop.failed} not. Started ${instant(stop.createdAt)}, lifted
      ${instant(stop.liftedAt)}.
    </p>
    ${
      stop.failures.length > 0 &&
      html`<ul>
        ${stop.failures.map(failureOf)}
      </ul>`
    }
    <p class="quiet">Stop <code>${stop._id}</code></p>
  </section>`;

const targetOf = ({ accountId, adAccountId, keyId }: Stop): string => {
  if (accountId !== null) return `Account ${accountId}`;
  return adAccountId === null ? `API key ${keyId}` : `Ad account ${adAccountId}`;
};

const failureOf = ({ name, campaignId, platform, message, isFinal }: Stop['failures'][number]): Html =>
  html`<li>${name} (${campaignId} on ${platform}): ${message}${isFinal ? '' : '; it is tried again'}</li>`;
