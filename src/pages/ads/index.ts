import type { Hono } from 'hono';
import { sendFile } from '../../lib/send-file.ts';
import type { Place } from '../layout.ts';
import { createSignedInPage, type PageEnv, type SessionOptions } from '../session.ts';
import { loadCsv, loadPage } from './load.ts';
import { adsPage } from './page.ts';
import { adsPath, csvPath, hrefOf, viewOf } from './view.ts';

const place: Place = {
  use: 'ads',
  path: adsPath,
  name: 'Ads',
  heading: 'Ads',
  purpose: 'What your ads cost and achieve, by day, campaign, ad set and ad.',
};

/** The page /ads: reports in the browser. It changes nothing. */
export const createAds = (options: SessionOptions): Hono<PageEnv> =>
  createSignedInPage(options, place, (app) => {
    app.get(adsPath, async (c) => {
      const { viewer, ctx } = c.var;
      const page = await ctx.db.whileAvailable(loadPage(ctx, viewOf(c.req.queries())));
      const { retryAfterSeconds } = page.problem?.extras ?? {};
      if (retryAfterSeconds) c.header('Retry-After', String(Math.ceil(retryAfterSeconds)));
      return c.html(adsPage(viewer, page), (page.problem?.status ?? 200) as 200);
    });
    app.get(csvPath, async (c) => {
      const view = viewOf(c.req.queries());
      const file = await loadCsv(c.var.ctx, view);
      // The page shows which days are missing; a file cannot.
      return file ? sendFile(c.env.outgoing, file) : c.redirect(hrefOf(view), 303);
    });
  });
