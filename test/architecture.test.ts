import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AccountPlatform } from '../src/contract/platforms.ts';

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');

interface Rule {
  folders: string[];
  /** Paths inside another folder that are allowed although the folder is not. */
  files?: string[];
  packages: (string | RegExp)[];
}

const node = /^node:/;
const rules: Record<string, Rule> = {
  contract: { folders: [], files: ['lib/own.ts', 'lib/web-address.ts'], packages: ['zod'] },
  lib: {
    folders: [],
    packages: [node, '@hono/node-server/utils/response', 'dataloader', 'hono/utils/accept', 'image-size'],
  },
  telemetry: { folders: ['lib'], packages: [node, '@opentelemetry/api', 'pino', 'prom-client'] },
  egress: { folders: ['lib', 'telemetry'], packages: [node, 'undici', 'ipaddr.js'] },
  config: {
    folders: ['lib', 'egress'],
    files: ['platforms/registry.ts', 'services/context.ts', 'services/webhooks/schedule.ts'],
    packages: [node, 'zod'],
  },
  models: { folders: ['contract', 'lib', 'telemetry'], packages: ['mongoose'] },
  platforms: { folders: ['contract', 'lib', 'egress', 'telemetry'], packages: [node, 'zod', 'undici', 'file-type'] },
  services: {
    folders: ['contract', 'lib', 'egress', 'telemetry', 'models'],
    files: ['platforms/platform.ts', 'platforms/connect.ts', 'platforms/listing.ts', 'platforms/error.ts'],
    packages: [node],
  },
  workers: {
    folders: ['contract', 'lib', 'telemetry', 'services'],
    files: ['redis/wake-relay.ts', 'redis/keepalive.ts', 'redis/open.ts'],
    packages: ['bullmq', 'ioredis'],
  },
  redis: {
    folders: ['lib', 'telemetry'],
    files: ['services/context.ts'],
    packages: ['ioredis'],
  },
  http: { folders: ['contract', 'lib', 'egress', 'telemetry', 'services'], packages: [node, 'compression'] },
  operations: { folders: ['contract', 'services'], files: ['lib/send-file.ts'], packages: ['zod'] },
  graphql: {
    folders: ['contract', 'lib', 'telemetry', 'operations', 'services'],
    packages: [/^@pothos\//, 'graphql', 'graphql-yoga', /^@graphql-yoga\//, 'dataloader', 'lru-cache', 'zod'],
  },
  rest: {
    folders: ['contract', 'lib', 'telemetry', 'operations', 'services'],
    packages: ['hono', 'zod', 'zod-openapi', node],
  },
  pages: {
    folders: ['contract', 'lib', 'telemetry', 'operations', 'services'],
    packages: [node, 'hono', /^hono\//, 'swagger-ui-dist', '@graphql-yoga/render-graphiql'],
  },
  'dev/sandbox': { folders: ['lib', 'egress'], packages: [node, 'hono', /^hono\//, '@hono/node-server'] },
  'dev/mongo-server': { folders: [], packages: [node, 'bson'] },
  cli: {
    folders: ['contract', 'lib', 'egress', 'telemetry', 'services', 'models'],
    files: ['config/config.ts'],
    packages: [node, 'zod'],
  },
  'dev/upstream': {
    folders: ['contract', 'lib', 'telemetry', 'config', 'platforms', 'services', 'cli', 'dev', 'dev/sandbox'],
    packages: [node, 'undici', 'zod'],
  },
  dev: {
    folders: ['contract', 'lib', 'services', 'models', 'cli', 'dev/sandbox', 'dev/mongo-server'],
    files: ['app.ts', 'main.ts', 'config/config.ts', 'workers/start.ts'],
    packages: [node, 'zod'],
  },
};
/** The folders in which anything goes: they put the others together. */
const free = ['app.ts', 'main.ts', 'cli.ts', 'dev/generate'];

interface Source {
  path: string;
  text: string;
}

const sources: Source[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|mjs)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

const folderOf = (path: string): string => {
  const [top = '', folder = ''] = path.split('/');
  return top === 'dev' && ['generate', 'sandbox', 'mongo-server', 'upstream'].includes(folder) ? `dev/${folder}` : top;
};

const importsOf = ({ path, text }: Source): string[] =>
  [...text.matchAll(/(?:from\s+|import\s+|import\()'([^']+)'/g)]
    .map((match) => match[1] ?? '')
    .map((target) =>
      target.startsWith('.') ? relative(src, resolve(dirname(join(src, path)), target)) : `package:${target}`,
    );

/** Imports that remain once types are erased. */
const runtimeImportsOf = ({ path, text }: Source): string[] =>
  importsOf({ path, text: text.replaceAll(/^(import|export) type [^;]*;/gm, '') });

/** Each cycle of a graph once, as its path. */
function cyclesIn(graph: Map<string, string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, above: string[]): void => {
    if (above.includes(path)) cycles.push([...above.slice(above.indexOf(path)), path].join(' -> '));
    if (done.has(path) || above.includes(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

function breaches(source: Source): string[] {
  const folder = folderOf(source.path);
  const rule = rules[folder];
  if (!rule) return [`${source.path} is in a folder without a rule`];
  return importsOf(source)
    .filter((target) => !isAllowed(source.path, folder, rule, target))
    .map((target) => `${source.path} imports ${target}`);
}

function isAllowed(path: string, folder: string, rule: Rule, target: string): boolean {
  if (target.startsWith('package:')) {
    const name = target.slice('package:'.length);
    return rule.packages.some((allowed) => (typeof allowed === 'string' ? allowed === name : allowed.test(name)));
  }
  if (folderOf(target) === folder) return folder !== 'platforms' || isOwnFolder(path, target);
  return rule.folders.includes(folderOf(target)) || (rule.files ?? []).includes(target);
}

/** An adapter never reaches into a sibling's folder; only the registry knows them all. */
const isOwnFolder = (path: string, target: string): boolean => {
  const folder = (file: string): string => file.split('/').slice(1, -1).join('/');
  return path === 'platforms/registry.ts' || folder(target) === '' || folder(target) === folder(path);
};

const governed = sources.filter(({ path }) => !free.includes(folderOf(path)));

describe('the import graph', () => {
  it('follows the rules of every folder', () => {
    expect(governed.flatMap(breaches)).toEqual([]);
  });

  it('names only packages that are installed: outside dev, for production', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
      string,
      object
    >;
    const isInstalled = (folder: string, name: string | RegExp): boolean =>
      Object.keys({ ...dependencies, ...(folder.startsWith('dev') && devDependencies) }).some((one) =>
        typeof name === 'string' ? one === name || name.startsWith(`${one}/`) : name.test(`${one}/`),
      );
    const missing = Object.entries(rules).flatMap(([folder, { packages }]) =>
      packages
        .filter((name) => name !== node && !isInstalled(folder, name))
        .map((name) => `${folder}: ${String(name)}`),
    );
    expect(missing).toEqual([]);
  });

  it('has no cycle at run time', () => {
    expect(cyclesIn(new Map(sources.map((source) => [source.path, runtimeImportsOf(source)])))).toEqual([]);
  });

  /** Folders in which the parts of a type and the whole refer to each other across files. */
  const sharingTypes = ['contract', 'platforms', 'dev/sandbox'];

  it('has no cycle by types either, outside folders in which a type is spread over files', () => {
    const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
    expect(cyclesIn(graph).filter((cycle) => !sharingTypes.includes(folderOf(cycle)))).toEqual([]);
  });

  it('keeps everything outside dev from dev, which the build leaves out', () => {
    const product = sources.filter(({ path }) => !path.startsWith('dev/'));
    expect(product.filter((source) => importsOf(source).some((target) => target.startsWith('dev/')))).toEqual([]);
    const build = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as Record<string, unknown>;
    expect(build).toMatchObject({ include: ['src'], exclude: ['src/dev'] });
  });

  it('lets only config.ts read the environment, besides what runs before or around the service', () => {
    const readers = sources.filter(({ text }) => /process\.env/.test(text)).map(({ path }) => path);
    const around = /^(config\/config\.ts|cli\.ts|cli\/.*|dev\/(?!mongo-server\/).*)$/;
    expect(readers.filter((path) => !around.test(path))).toEqual([]);
  });
});

/** Measure how long something takes, or stamp what other clocks check. No rule on a date may be decided here. */
const timekeepers = [
  'lib/clock.ts',
  'lib/id.ts',
  'lib/platform-limits.ts',
  'lib/retry-after.ts',
  'telemetry/metrics.ts',
  'telemetry/line-writer.ts',
  'telemetry/tracing.ts',
  'platforms/poll.ts',
  'platforms/linkedin/errors.ts',
  'platforms/meta/video.ts',
  'platforms/tiktok/wire.ts',
  'platforms/x-ads/errors.ts',
  'platforms/x-ads/quota.ts',
  'platforms/x-ads/signature.ts',
  'services/discovery/run-discovery.ts',
  'services/duplications/duplication-store.ts',
  'workers/deliver-webhooks.ts',
  'workers/queue-worker.ts',
];

describe('time', () => {
  // The sandbox and the store that comes with the project stand for programs with clocks of their own.
  const own = sources.filter(({ path }) => !path.startsWith('dev/'));

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
  it('keeps source files within 250 lines, the sandbox and lists of checks within 350', () => {
    const long = sources.filter(({ path, text }) => {
      const cap = /^dev\/(sandbox\/|upstream\/checks-)/.test(path) ? 350 : 250;
      return text.split('\n').length - 1 > cap;
    });
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('keeps runs of line comments to three lines', () => {
    const wordy = sources.filter(({ text }) => /(?:^[ \t]*\/\/.*\n){4,}/m.test(text));
    expect(wordy.map(({ path }) => path)).toEqual([]);
  });

  it('decides by columns of the capability table, not by names of platforms, outside adapters', () => {
    const names = `[A-F]|act_|${AccountPlatform.options.join('|')}`;
    const compared = new RegExp(`(?:[=!]==|\\.includes\\(|\\bcase|\\[)\\s*'(?:${names})'|'(?:${names})'\\s*[=!]==`);
    const layers = sources.filter(({ path }) => /^(services|operations|rest|graphql|http|workers|pages)\//.test(path));
    expect(layers.filter(({ text }) => compared.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('parses addresses in one place: URL.canParse and z.url refuse international hosts after some thousand calls', () => {
    const others = sources.filter(({ path }) => path !== 'lib/web-address.ts');
    expect(others.filter(({ text }) => /canParse|\.(url|httpUrl)\(/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('says why wherever it drops the error of a promise', () => {
    const silent = sources.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at, lines) => {
        const isExplained = /\/\/|^ *\/?\*/m.test(lines.slice(Math.max(0, at - 3), at).join('\n'));
        return /\.catch\(\(\) => undefined\)/.test(line) && !isExplained ? [`${path}:${at + 1}`] : [];
      }),
    );
    expect(silent).toEqual([]);
  });

  // V8 allocates such a function in the old generation, where it keeps what it refers to until the next full collection.
  it('writes no function where it is assigned to a member, outside what runs once for a connection', () => {
    const rare = ['redis/open.ts', 'models/ended-sockets.ts', 'egress/response-head.ts'];
    const assigned = /[\w\])]\.\w+ =\s+(async\s+)?(function\b|(<[^>]*>)?\([^()]*\)(: [^=;]+)? =>|\w+ =>)/;
    const service = sources.filter(({ path }) => !/^(dev|cli)\//.test(path) && !rare.includes(path));
    expect(service.filter(({ text }) => assigned.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('names files in kebab-case', () => {
    const odd = sources.filter(({ path }) => !/^([a-z0-9-]+\/)*[a-z0-9-]+\.(ts|mjs)$/.test(path));
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  // Header names that clouds guard their metadata with are no words of ours.
  it('names upstream platforms only inside adapters, their sandbox, its comparison with them, and the registry', () => {
    const brands = /\b(facebook|meta marketing|instagram|tiktok|pinterest|linkedin|snapchat|google|twitter)\b/i;
    const outside = sources.filter(
      ({ path }) =>
        !/^(platforms\/|dev\/sandbox\/|dev\/upstream\/|config\/(config|platforms)\.ts|dev\/generate\/|services\/webhooks\/custom-headers\.ts)/.test(
          path,
        ),
    );
    expect(outside.filter(({ text }) => brands.test(text)).map(({ path }) => path)).toEqual([]);
  });
});
