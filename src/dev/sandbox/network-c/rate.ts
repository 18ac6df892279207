import { VendorError } from './errors.ts';
import type { SandboxState } from './state.ts';

export interface CountedCall {
  app: string;
  path: string;
  advertiserId?: string;
}

/** Counts accepted calls over the last second: of a developer app, of its ad/create, or of one advertiser. */
export function createRate({ settings }: SandboxState): (call: CountedCall) => void {
  const calls = new Map<string, number[]>();
  const take = (who: string, most: number, refuse: () => VendorError): void => {
    if (most <= 0) return;
    const now = Date.now();
    const lately = (calls.get(who) ?? []).filter((at) => at > now - 1000);
    calls.set(who, lately);
    if (lately.length >= most) throw refuse();
    lately.push(now);
  };
  return ({ app, path, advertiserId }) => {
    const { perSecond, adsPerSecond, level } = settings;
    if (path === 'ad/create/') take(`${app} ${path}`, adsPerSecond, () => ofApp(app));
    if (level === 'app') take(app, perSecond, () => ofApp(app));
    else if (advertiserId !== undefined) take(advertiserId, perSecond, () => ofAdvertiser(advertiserId));
  };
}

const ofApp = (app: string): VendorError =>
  new VendorError(40100, `Too many requests of the app ${app}, request is temporarily restricted.`);

const ofAdvertiser = (id: string): VendorError =>
  new VendorError(
    40133,
    `Advertiser (${id})'s QPS reaches QPS limit for current path, request is temporarily restricted.`,
  );
