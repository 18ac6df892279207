import type { Log } from '../../src/telemetry/log.ts';
import { startTestApp, type TestApp } from './app.ts';
import { freePort } from './free-port.ts';

type Params = Record<string, string>;

/** The product at an address that is known before it runs, so that platforms can send browsers back. */
export async function startConnectApp(extra: Record<string, string> = {}, log?: Log): Promise<TestApp> {
  const port = String(await freePort());
  return startTestApp({ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, ...extra }, log);
}

/** Follows redirects as a browser does, as long as they stay on this machine. */
export async function visit(address: string): Promise<{ url: URL; status: number; text: string }> {
  for (let at = address, hops = 0; hops < 10; hops += 1) {
    const response = await fetch(at, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (!location) return { url: new URL(at), status: response.status, text: await response.text() };
    const next = new URL(location, at);
    if (next.hostname !== '127.0.0.1') return { url: next, status: response.status, text: '' };
    at = next.href;
  }
  throw new Error('Too many redirects');
}

/** Presses a button of the sandbox's consent page; answers where the platform sends the browser. `granted` are the boxes left ticked. */
export async function press(authUrl: string, answers: Params = {}, granted?: string[]): Promise<string> {
  const { url, text } = await visit(authUrl);
  const hidden = [...text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value = '']) => [
    name,
    value.replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
  ]);
  const action = /action="([^"]+)"/.exec(text)?.[1] ?? '';
  const chosen = { decision: 'approve', person: 'new', name: 'Ada', ...answers };
  const body = new URLSearchParams({ ...(Object.fromEntries(hidden) as Params), ...chosen });
  for (const scope of granted ?? []) body.append('granted', scope);
  const response = await fetch(new URL(granted ? `${action}?boxes=1` : action, url), {
    method: 'POST',
    body,
    redirect: 'manual',
  });
  return response.headers.get('location') ?? '';
}

/** The whole way of a browser: the page, its button, the platform's redirect, ours. */
export const walk = async (
  authUrl: string,
  answers: Params = {},
  granted?: string[],
): Promise<{ url: URL; status: number; text: string }> => visit(await press(authUrl, answers, granted));

/** A person at a simulated platform who was there before. */
export async function personAt(app: TestApp, platform: string, name: string): Promise<Params> {
  const response = await fetch(`${app.sandbox.url}/control/${platform}/connections`, {
    method: 'POST',
    body: JSON.stringify({ name, currencies: ['USD'] }),
    headers: { 'Content-Type': 'application/json' },
  });
  const { userId } = (await response.json()) as { userId: string };
  return { person: userId };
}
