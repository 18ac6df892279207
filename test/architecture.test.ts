import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');

interface Law {
  rooms: string[];
  /** Paths inside another room that are allowed although the room is not. */
  files?: string[];
  packages: (string | RegExp)[];
}

const node = /^node:/;
const laws: Record<string, Law> = {
  contract: { rooms: [], files: ['lib/web-address.ts'], packages: ['zod'] },
  lib: { rooms: [], packages: [node, 'pino', 'undici', 'ipaddr.js', 'prom-client', 'image-size'] },
  models: { rooms: ['contract', 'lib'], packages: ['mongoose'] },
  platforms: { rooms: ['contract', 'lib'], packages: [node, 'zod', 'undici', 'file-type'] },
  services: {
    rooms: ['contract', 'lib', 'models'],
    files: ['platforms/platform.ts', 'platforms/connect.ts', 'platforms/listing.ts', 'platforms/error.ts'],
    packages: [node],
  },
  workers: {
    rooms: ['contract', 'lib', 'services'],
    files: ['redis/nudge.ts', 'redis/keepalive.ts'],
    packages: ['bullmq', 'ioredis'],
  },
  redis: { rooms: ['lib'], files: ['services/context.ts'], packages: ['ioredis', 'rate-limiter-flexible'] },
  http: { rooms: ['contract', 'lib', 'services'], packages: [node] },
  graphql: {
    rooms: ['contract', 'lib', 'services'],
    packages: [/^@pothos\//, 'graphql', 'graphql-yoga', /^@graphql-yoga\//, 'dataloader', 'lru-cache', 'zod'],
  },
  rest: { rooms: ['contract', 'lib', 'services'], packages: ['hono', 'zod', 'zod-openapi', node] },
  pages: {
    rooms: ['contract', 'lib', 'services'],
    packages: [node, 'hono', /^hono\//, 'swagger-ui-dist', '@graphql-yoga/render-graphiql'],
  },
  sandbox: { rooms: ['lib'], packages: [node, 'hono', /^hono\//, '@hono/node-server'] },
  'local/store': { rooms: [], packages: [node, 'bson'] },
  local: {
    rooms: ['contract', 'lib', 'services', 'sandbox', 'models', 'redis', 'local/store'],
    files: ['config.ts'],
    packages: [node, 'ioredis', 'mongoose', 'tsx/esm/api'],
  },
};
/** The rooms in which anything goes: they put the others together. */
const free = [
  'app.ts',
  'main.ts',
  'cli.ts',
  'config.ts',
  'config-platforms.ts',
  'config-values.ts',
  'generate.ts',
  'generate-platforms.ts',
  'generate-vectors.ts',
  'cli',
];
const longFiles = ['contract/ad.ts'];

interface Source {
  path: string;
  text: string;
}

const sources: Source[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|mjs)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

const roomOf = (path: string): string => {
  if (path.startsWith('local/store/')) return 'local/store';
  return path.split('/')[0] ?? '';
};

const importsOf = ({ path, text }: Source): string[] =>
  [...text.matchAll(/(?:from\s+|import\s+|import\()'([^']+)'/g)]
    .map((match) => match[1] ?? '')
    .map((target) =>
      target.startsWith('.') ? relative(src, resolve(dirname(join(src, path)), target)) : `package:${target}`,
    );

function breaches(source: Source): string[] {
  const room = roomOf(source.path);
  const law = laws[room];
  if (!law) return [`${source.path} is in a room without a law`];
  return importsOf(source)
    .filter((target) => !isAllowed(source.path, room, law, target))
    .map((target) => `${source.path} imports ${target}`);
}

function isAllowed(path: string, room: string, law: Law, target: string): boolean {
  if (target.startsWith('package:')) {
    const name = target.slice('package:'.length);
    return law.packages.some((allowed) => (typeof allowed === 'string' ? allowed === name : allowed.test(name)));
  }
  if (roomOf(target) === room) return room !== 'platforms' || isOwnFolder(path, target);
  return law.rooms.includes(roomOf(target)) || (law.files ?? []).includes(target);
}

/** An adapter never reaches into a sibling's folder; only the registry knows them all. */
const isOwnFolder = (path: string, target: string): boolean => {
  const folder = (file: string): string => file.split('/').slice(1, -1).join('/');
  return path === 'platforms/registry.ts' || folder(target) === '' || folder(target) === folder(path);
};

const governed = sources.filter(({ path }) => !free.includes(path.split('/')[0] ?? ''));

describe('the law of imports', () => {
  it('holds in every room', () => {
    expect(governed.flatMap(breaches)).toEqual([]);
  });

  it('lets only config.ts read the environment, besides what runs before or around the service', () => {
    const readers = sources.filter(({ text }) => /process\.env/.test(text)).map(({ path }) => path);
    const around = /^(config\.ts|cli\.ts|cli\/.*|local\/(?!store\/).*)$/;
    expect(readers.filter((path) => !around.test(path))).toEqual([]);
  });
});

/** Measure how long something takes, or stamp what other clocks check. No rule on a date may be decided here. */
const timekeepers = [
  'lib/clock.ts',
  'lib/id.ts',
  'lib/limits.ts',
  'lib/metrics.ts',
  'lib/tracing.ts',
  'lib/egress.ts',
  'http/entrance.ts',
  'platforms/answer.ts',
  'platforms/timing.ts',
  'platforms/linkedin/errors.ts',
  'platforms/meta/video.ts',
  'platforms/tiktok/wire.ts',
  'platforms/x-ads/errors.ts',
  'platforms/x-ads/signature.ts',
  'services/discovery/keep-run.ts',
  'services/duplications/duplication-store.ts',
  'workers/deliver-webhooks.ts',
  'workers/duplicate-campaigns.ts',
];

describe('time', () => {
  // The sandbox and the store that comes with the project stand for programs with clocks of their own.
  const own = sources.filter(({ path }) => !/^(sandbox|local)\//.test(path));

  it('comes from the injected clock in every rule that depends on the date', () => {
    const readers = own.filter(({ text }) => /\bDate\.now\(\)|new Date\(\)/.test(text)).map(({ path }) => path);
    const how = 'take the injected clock; only what measures a wait belongs in the list above';
    expect(
      readers.filter((path) => !timekeepers.includes(path)),
      how,
    ).toEqual([]);
  });

  it('is never read in the zone of the process', () => {
    const local =
      /\.(get|set)(Hours|Minutes|Date|Day|Month|FullYear)\(|getTimezoneOffset|\.toLocale(Date|Time)?String\(/;
    expect(own.filter(({ text }) => local.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('style', () => {
  it('keeps source files within 250 lines, the sandbox and the ad contract within 350', () => {
    const long = sources.filter(({ path, text }) => {
      const cap = path.startsWith('sandbox/') || longFiles.includes(path) ? 350 : 250;
      return text.split('\n').length - 1 > cap;
    });
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('keeps runs of line comments to three lines', () => {
    const wordy = sources.filter(({ text }) => /(?:^[ \t]*\/\/.*\n){4,}/m.test(text));
    expect(wordy.map(({ path }) => path)).toEqual([]);
  });

  it('parses addresses in one place: URL.canParse and z.url refuse international hosts after some thousand calls', () => {
    const others = sources.filter(({ path }) => path !== 'lib/web-address.ts');
    expect(others.filter(({ text }) => /canParse|\.(url|httpUrl)\(/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('names files in kebab-case', () => {
    const odd = sources.filter(({ path }) => !/^([a-z0-9-]+\/)*[a-z0-9-]+\.(ts|mjs)$/.test(path));
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  // Header names that clouds guard their metadata with are no words of ours.
  it('names upstream platforms only inside adapters, their sandbox, and the registry', () => {
    const brands = /\b(facebook|meta marketing|instagram|tiktok|pinterest|linkedin|snapchat|google|twitter)\b/i;
    const outside = sources.filter(
      ({ path }) =>
        !/^(platforms\/|sandbox\/|config(-platforms)?\.ts|generate-platforms\.ts|services\/webhooks\/custom-headers\.ts)/.test(
          path,
        ),
    );
    expect(outside.filter(({ text }) => brands.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
