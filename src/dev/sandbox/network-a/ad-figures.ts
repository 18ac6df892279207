import { withFirstHour, type Plan } from '../figures/plan.ts';
import { above } from './read.ts';
import { offsetOf, type GraphObject, type SandboxState } from './state.ts';

/** In millionths. */
export const unitOf = (currency: string | undefined): number => 1_000_000 / offsetOf(currency ?? 'USD');

/** Seeded figures, else deterministic ones while the ad and its parents are active. */
export function planOf(sandbox: SandboxState, ad: GraphObject): Plan {
  const unit = unitOf(sandbox.accounts.get(ad.accountId)?.currency);
  if (ad.figures) {
    const { impressions, clicks, spend } = ad.figures;
    const total = { impressions, clicks, spend: Math.round(spend * 1_000_000), from: Date.parse(ad.createdAt) };
    return sandbox.figures.planOf({ id: ad.id, unit, spans: [], total });
  }
  const parents = [above(sandbox, ad, 'adset'), above(sandbox, ad, 'campaign')].filter(
    (parent) => parent !== undefined,
  );
  const payer = parents.find(({ fields }) => fields['daily_budget'] ?? fields['lifetime_budget']);
  const spans = sandbox.figures.spansOf([ad.id, ...parents.map(({ id }) => id)], sharing(sandbox, payer));
  const seed = Number(ad.id.slice(-6)) % 997;
  const first = { impressions: 1000 + seed * 7, clicks: 10 + (seed % 90), spend: 5_000_000 + (seed % 400) * 100_000 };
  return sandbox.figures.planOf(withFirstHour({ id: ad.id, unit, spans }, first, sandbox.figures.now()));
}

/** Creation times of the ads that share a budget. */
const sharing = (sandbox: SandboxState, payer: GraphObject | undefined): number[] =>
  payer === undefined
    ? []
    : sandbox.under('ad', payer.id).map((id) => Date.parse(sandbox.objects.get(id)?.createdAt ?? ''));
