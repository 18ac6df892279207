import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { Environment } from '../../src/config/environment.ts';
import { metricTable } from '../../src/telemetry/metric-table.ts';
import { hasProgram } from '../support/debian.ts';

const textOf = (path: string): string => readFileSync(path, 'utf8');
const settings = Object.keys(Environment.shape);
const ofNode = new Registry();
collectDefaultMetrics({ register: ofNode });
const metrics = [...Object.keys(metricTable), ...ofNode.getMetricsAsArray().map(({ name }) => name)];
const fullVersion = /:\d+\.\d+\.\d+/;

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook_url: string };
}

describe('docs/alerts.yml', () => {
  const file = parse(textOf('docs/alerts.yml')) as { groups: { rules: Rule[] }[] };
  const rules = file.groups.flatMap((group) => group.rules);

  it.skipIf(!hasProgram('promtool'))('contains rules that Prometheus accepts', () => {
    const { status, stdout } = spawnSync('promtool', ['check', 'rules', 'docs/alerts.yml'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining(`SUCCESS: ${rules.length} rules found`)]);
  });

  it('uses only metrics that the service has', () => {
    for (const { alert, expr } of rules) {
      const names = expr.replaceAll(/"[^"]*"|\{[^}]*\}|by \([^)]*\)/g, '').match(/[a-z]+(_[a-z]+)+/g) ?? [];
      const unknown = names
        .map((name) => name.replace(/_(count|sum|bucket)$/, ''))
        .filter((name) => !metrics.includes(name));
      expect([alert, unknown]).toEqual([alert, []]);
    }
  });

  it('links each alert to a paragraph of the runbook', () => {
    const headings = [...textOf('docs/runbook.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    for (const { alert, annotations } of rules) {
      expect(headings).toContain(alert);
      expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    }
  });
});

describe('docs/kubernetes.md', () => {
  const blocks = [...textOf('docs/kubernetes.md').matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text);
  const documents = blocks.flatMap((text) =>
    parseAllDocuments(text).map((one) => one.toJS({ mapAsMap: false }) as any),
  );
  const ofKind = (kind: string): any[] => documents.filter((one) => one.kind === kind);

  it('contains valid YAML of every kind that a deployment needs', () => {
    for (const text of blocks) for (const one of parseAllDocuments(text)) expect(one.errors).toEqual([]);
    const kinds = documents.map(({ kind }) => kind as string).sort();
    expect(kinds).toEqual([
      'ConfigMap',
      'Deployment',
      'Deployment',
      'HorizontalPodAutoscaler',
      'HorizontalPodAutoscaler',
      'Job',
      'PodDisruptionBudget',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
  });

  it('names only settings that exist, with values that they accept', () => {
    const [config, secret] = [ofKind('ConfigMap')[0].data, ofKind('Secret')[0].stringData];
    const own = ofKind('Deployment').flatMap(({ spec }) => spec.template.spec.containers[0].env);
    const given = { ...config, ...secret, ...Object.fromEntries(own.map(({ name, value }: any) => [name, value])) };
    expect(Object.keys(given).filter((name) => !settings.includes(name))).toEqual([]);
    const key = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
    expect(Environment.safeParse({ ...given, ENCRYPTION_KEYS: key }).error?.issues ?? []).toEqual([]);
  });

  it('leaves pods enough time to drain and to stop', () => {
    const { DRAIN_SECONDS, SHUTDOWN_SECONDS } = ofKind('ConfigMap')[0].data;
    for (const { spec } of ofKind('Deployment')) {
      const { terminationGracePeriodSeconds, containers } = spec.template.spec;
      const [{ readinessProbe, livenessProbe }] = containers;
      expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(SHUTDOWN_SECONDS));
      expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(['/healthz', '/readyz']);
      expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    }
    const { readinessProbe } = ofKind('Deployment')[0].spec.template.spec.containers[0];
    expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold).toBeLessThan(Number(DRAIN_SECONDS));
  });

  it('scales by metrics that exist', () => {
    const scaled = ofKind('HorizontalPodAutoscaler').flatMap(({ spec }) => spec.metrics);
    const names = scaled.flatMap(({ pods, external }: any) => (pods ?? external)?.metric.name ?? []);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name: string) => !metrics.includes(name))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  const { services } = parse(textOf('docker-compose.yml'), { merge: true }) as { services: Record<string, any> };

  it('limits the log of every container and pins images to full versions', () => {
    for (const [name, { logging, image, build }] of Object.entries(services)) {
      expect([name, logging?.options]).toEqual([name, { 'max-size': '10m', 'max-file': '5' }]);
      if (!build) expect(image).toMatch(fullVersion);
    }
  });

  it('lets values of .env win over its own', () => {
    const { PORT: _inside, ROLE: _own, ...environment } = services['api'].environment as Record<string, string>;
    expect(Object.keys(environment)).toContain('MONGODB_URI');
    for (const [name, value] of Object.entries(environment)) expect(value).toMatch(new RegExp(`^\\$\\{${name}:[-?]`));
  });

  it('lets processes be scaled, because only the proxy takes a port of the host', () => {
    expect(Object.keys(services).filter((name) => services[name].ports && name !== 'sandbox')).toEqual(['proxy']);
  });
});

describe('a release', () => {
  const { jobs } = parse(textOf('.github/workflows/release.yml')) as { jobs: Record<string, any> };
  const [script = ''] = (jobs['release'].steps as { run?: string }[]).flatMap(({ run }) => run ?? []);

  it('has the notes of its own version and a bill of materials, and is refused under another tag', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'release-'));
    for (const file of ['package.json', 'package-lock.json', 'docs/changelog.md']) await cp(file, join(folder, file));
    const releasing = (tag: string): number | null =>
      spawnSync('bash', ['-e', '-c', script], { cwd: folder, env: { ...process.env, GITHUB_REF_NAME: tag } }).status;
    expect(releasing('v9.9.9')).toBe(1);
    expect(releasing('v0.1.0')).toBe(0);
    const made = (file: string): string => textOf(join(folder, file));
    expect(made('notes.md').match(/^## .*/gm)).toEqual(['## 0.1.0']);
    const { components } = JSON.parse(made('sbom.cdx.json')) as { components: { name: string }[] };
    expect(components.map(({ name }) => name)).toContain('mongoose');
    await rm(folder, { recursive: true });
  });
});

describe('the build', () => {
  it('uses an image of a full version, and packages that run no scripts', () => {
    const dockerfile = textOf('Dockerfile');
    const images = [...dockerfile.matchAll(/^FROM (node\S*)/gm)].map(([, image]) => image);
    for (const image of images) expect(image).toMatch(fullVersion);
    for (const [command] of dockerfile.matchAll(/npm (ci|prune)[^\n]*/g)) expect(command).toContain('--ignore-scripts');
  });

  it('pins every action of a workflow to a commit', () => {
    const files = readdirSync('.github/workflows').map((file) => textOf(`.github/workflows/${file}`));
    const uses = files.flatMap((text) => [...text.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action));
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });
});
