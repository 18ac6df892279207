import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { guarded } from '../support/guarded.ts';

let folder: string;
let app: TestApp;

const run = (command: string): void => {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  expect([command, status, status === 0 ? '' : stdout + stderr]).toEqual([command, 0, '']);
};

/** The commands of the Dockerfile, each in one line. */
async function commandsOf(): Promise<string[]> {
  const text = (await readFile('Dockerfile', 'utf8')).replaceAll(/\\\n\s*/g, '');
  return [...text.matchAll(/^RUN (.*)$/gm)].map(([, command = '']) => command.replaceAll('/app/', `${folder}/`));
}

// As `docker build` does it, in a folder.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-'));
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'tsconfig.build.json', 'src'])
    await cp(name, join(folder, name), { recursive: true });
  const commands = await commandsOf();
  expect(commands).toHaveLength(3);
  for (const command of commands) run(command.replace('npm ci', 'npm ci --prefer-offline'));
  app = await startTestApp({ ROLE: 'api' });
});
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true });
});

describe('the image', () => {
  it('contains no compiler, source map, declaration or unused file of swagger-ui', async () => {
    const entries = await readdir(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const paths = files.map((path) => path.slice(folder.length + 1));
    expect(paths.length).toBeGreaterThan(1_000);
    expect(paths.filter((path) => /^node_modules\/(tsx|esbuild|@esbuild|typescript|vitest)\//.test(path))).toEqual([]);
    expect(paths.filter((path) => /\.(map|d\.[cm]?ts)$/.test(path))).toEqual([]);
    expect(paths.filter((path) => /\/(__)?tests?(__)?\//.test(path))).toEqual([]);
    expect(paths.filter((path) => path.endsWith('/graphiql.js'))).toHaveLength(1);
    const served = paths.filter((path) => path.includes('swagger-ui-dist/') && /\.(js|css|html|png)$/.test(path));
    expect(served.toSorted()).toEqual([
      'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
      'node_modules/swagger-ui-dist/swagger-ui.css',
    ]);
    expect((await readdir(join(folder, 'dist'))).includes('dev')).toBe(false);
  });

  it('serves both APIs and their documents', async () => {
    const port = await freePort();
    const env = { ...process.env, ...app.env, PORT: String(port), NODE_ENV: 'production', ROLE: 'all' };
    const settings = { REDIS_REQUIRE_AOF: 'false', LOG_LEVEL: 'silent', HOST: '127.0.0.1' };
    const service = guarded(
      spawn(process.execPath, ['dist/main.js'], { cwd: folder, env: { ...env, ...settings }, stdio: 'ignore' }),
    );
    const url = `http://127.0.0.1:${port}`;
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(url + path, { headers: { Accept: 'text/html' } }).catch(() => undefined))?.status ?? 0;
    await expect.poll(() => statusOf('/readyz')).toBe(200);
    for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/graphql', '/v1/openapi.json'])
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    service.kill('SIGTERM');
    await expect.poll(() => service.exitCode).toBe(0);
  });
});
