import { createServer, request as send, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { platformsConfig, PlatformEnvironment } from '../../../src/config/platforms.ts';
import type { AdPlatform } from '../../../src/contract/platforms.ts';
import { startSandbox } from '../../../src/dev/sandbox/index.ts';
import { sandboxSettings } from '../../../src/dev/sandbox/settings.ts';
import { sandboxSide } from '../../../src/dev/upstream/side.ts';
import { verify } from '../../../src/dev/upstream/verify.ts';

export interface Received {
  method: string;
  path: string;
  body: string;
}

/** What the platform answers, before it is passed on; undefined passes it on as it is. */
export interface Reply {
  status: number;
  text: string;
}
type Alter = (request: Received, reply: Reply) => Reply | 'reset' | undefined;

export interface Live {
  url: string;
  requests: Received[];
  alter: Alter;
  /** Names of objects that a check created and that are not removed. */
  left: (platform: AdPlatform) => Promise<string[]>;
  environmentOf: (platform: AdPlatform) => Promise<Record<string, string | undefined>>;
  stop: () => Promise<void>;
}

/** A sandbox that stands for the live platform, behind a proxy that can alter its answers. */
export async function startLive(): Promise<Live> {
  const sandbox = await startSandbox();
  const environments = new Map<AdPlatform, Promise<Record<string, string | undefined>>>();
  const server = createServer(async (request, response) => {
    const body = await bytesOf(request);
    const { method = '', url = '' } = request;
    const received = { method, path: url, body: body.toString('utf8') };
    live.requests.push(received);
    const forwarded = send(sandbox.url + url, { method, headers: request.headers }, async (answer) => {
      const text = (await bytesOf(answer)).toString('utf8');
      const reply = { status: answer.statusCode ?? 0, text };
      const altered = live.alter(received, reply) ?? reply;
      if (altered === 'reset') return void response.socket?.destroy();
      const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
      response.writeHead(altered.status, headers).end(altered.text);
    });
    forwarded.on('error', () => response.socket?.destroy()).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const live: Live = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    alter: () => undefined,
    left: (platform) => leftAt(sandbox.url, platform),
    environmentOf(platform) {
      const known = environments.get(platform) ?? environmentOf(live.url, sandbox.url, platform);
      environments.set(platform, known);
      return known;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await sandbox.stop();
    },
  };
  return live;
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What an operator sets: a new user of the live sandbox, who has one ad. */
async function environmentOf(
  url: string,
  sandboxUrl: string,
  platform: AdPlatform,
): Promise<Record<string, string | undefined>> {
  const config = platformsConfig(PlatformEnvironment.parse(sandboxSettings(sandboxUrl)));
  const { access, adAccount, given } = await sandboxSide(sandboxUrl, { platform, config });
  return {
    ...sandboxSettings(url),
    ...given,
    PLATFORM_D_CALLS_PER_SECOND: '1000',
    UPSTREAM_TOKEN: access.token,
    UPSTREAM_TOKEN_SECRET: access.tokenSecret,
    UPSTREAM_AD_ACCOUNT: adAccount.id,
  };
}

type Fields = Record<string, unknown>;

const simulated: Record<AdPlatform, { name: string; types: string[] }> = {
  A: { name: 'network-a', types: ['campaign', 'adset', 'ad', 'adcreative'] },
  B: { name: 'search-display', types: ['campaignBudgets', 'campaigns'] },
  C: { name: 'pin-board', types: ['campaigns', 'ad_groups', 'ads'] },
  D: { name: 'network-c', types: ['campaign', 'adgroup', 'ad'] },
  E: { name: 'microblog', types: ['campaign', 'line_item'] },
  F: { name: 'professional', types: ['adCampaignGroups', 'adCampaigns', 'creatives'] },
};

async function leftAt(url: string, platform: AdPlatform): Promise<string[]> {
  const { name, types } = simulated[platform];
  const lists = types.map(async (type) => {
    const response = await fetch(`${url}/control/${name}/objects?type=${type}`);
    return ((await response.json()) as { objects: Fields[] }).objects;
  });
  return (await Promise.all(lists))
    .flat()
    .map((object) => ({ ...object, ...(object['fields'] as Fields | undefined) }) as Fields)
    .filter((object) => !isRemoved(object))
    .map((object) => String(object['name'] ?? object['campaign_name'] ?? object['adgroup_name']))
    .filter((title) => title.startsWith('verify '));
}

const isRemoved = ({ status, deleted, secondary_status: state }: Fields): boolean =>
  deleted === true ||
  /^(DELETED|REMOVED|ARCHIVED|PENDING_DELETION)$/.test(String(status)) ||
  String(state).endsWith('_DELETE');

export interface Ended {
  code: number;
  output: string;
  warnings: string;
}

/** Runs the command in this process. */
export async function verifying(
  environment: Record<string, string | undefined>,
  argv: string[],
  signal = new AbortController().signal,
): Promise<Ended> {
  const ended = { code: 0, output: '', warnings: '' };
  ended.code = await verify(['verify', ...argv], {
    environment,
    write: (text) => (ended.output += text),
    warn: (text) => (ended.warnings += text),
    signal,
  });
  return ended;
}
