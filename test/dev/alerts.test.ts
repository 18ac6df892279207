import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { hasProgram } from '../support/debian.ts';

interface Rule {
  alert: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** What processes report each minute for two hours when all is well, in the notation of promtool: `start+step x count`. */
const usual: Record<string, string> = {
  'up{job="social-ads-api", instance="a"}': '1x120',
  'up{job="social-ads-api", instance="b"}': '1x120',
  'http_request_duration_seconds_count{api="rest", status="2xx"}': '0+600x120',
  'http_request_duration_seconds_count{api="rest", status="5xx"}': '0+6x120',
  http_requests_shed_total: '0x120',
  'orders_oldest_seconds{status="unconfirmed"}': '300x120',
  removals_oldest_seconds: '300x120',
  'orders_reconciled_total{kind="ad", result="failed"}': '0x120',
  webhook_oldest_due_seconds: '1x120',
  webhook_outbox_lag_seconds: '1x120',
  'webhook_deliveries{state="waiting"}': '500x120',
  'webhook_endpoints{breaker="open"}': '2x120',
  webhook_deliveries_dead_lettered_total: '0x120',
  webhook_events_rejected_total: '0x120',
  webhook_lease_takeovers_total: '0x120',
  duplications_oldest_due_seconds: '10x120',
  'discoveries_ended_total{state="failed"}': '0+1x120',
  'discoveries_ended_total{state="completed"}': '0+9x120',
  encryption_key_missing_total: '0x120',
  'upstream_errors_total{platform="A", kind="unknown_outcome"}': '0x120',
  'token_refreshes_total{platform="A", outcome="refused"}': '0x120',
  'platform_api_version_days_left{platform="A", version="v25.0"}': '200x120',
  redis_used_memory_bytes: '1e8x120',
  log_lines_dropped_total: '0x120',
  'process_open_fds{job="social-ads-api", instance="a"}': '60x120',
  'process_open_fds{job="social-ads-api", instance="b"}': '60x120',
  'process_max_fds{job="social-ads-api", instance="a"}': '1024x120',
  'process_max_fds{job="social-ads-api", instance="b"}': '1024x120',
};

/** What reports otherwise from the second hour on, and the labels of the alert besides those of the rule. */
const faults: [alert: string, series: Record<string, string>, labels?: Record<string, string>][] = [
  ['ProcessDown', { 'up{job="social-ads-api", instance="b"}': '1x60 0x60' }, { job: 'social-ads-api', instance: 'b' }],
  ['StoreUnavailable', { webhook_oldest_due_seconds: '1x60 stale' }],
  ['StoreUnavailable', { redis_used_memory_bytes: '1e8x60 stale' }],
  ['RequestsFail', { 'http_request_duration_seconds_count{api="rest", status="5xx"}': '0+6x60 400+60x60' }],
  ['RequestsShed', { http_requests_shed_total: '0x60 1+5x60' }],
  ['OrderStuck', { 'orders_oldest_seconds{status="unconfirmed"}': '300x60 1801+60x60' }],
  ['RemovalStuck', { removals_oldest_seconds: '300x60 1801+60x60' }],
  ['ReconciliationFails', { 'orders_reconciled_total{kind="ad", result="failed"}': '0x60 1+1x60' }],
  ['DeliveriesLate', { webhook_oldest_due_seconds: '1x60 61+60x60' }],
  ['DeliveriesLate', { webhook_outbox_lag_seconds: '1x60 61+60x60' }],
  ['DeliveriesWait', { 'webhook_deliveries{state="waiting"}': '500x60 10001+100x60' }],
  ['DeliveriesDeadLettered', { webhook_deliveries_dead_lettered_total: '0x110 1x10' }],
  ['DeliveriesDeadLettered', { webhook_events_rejected_total: '0x110 1x10' }],
  ['LeaseTakeovers', { webhook_lease_takeovers_total: '0x60 1+1x60' }],
  ['CopyLate', { duplications_oldest_due_seconds: '10x60 901+60x60' }],
  ['DiscoveriesFail', { 'discoveries_ended_total{state="failed"}': '0+1x60 160+100x60' }],
  ['EncryptionKeyMissing', { encryption_key_missing_total: '0x116 1x4' }],
  [
    'UnknownOutcomes',
    { 'upstream_errors_total{platform="A", kind="unknown_outcome"}': '0x60 1+1x60' },
    { platform: 'A' },
  ],
  [
    'TokenRefreshesRefused',
    { 'token_refreshes_total{platform="A", outcome="refused"}': '0x60 1+1x60' },
    { platform: 'A' },
  ],
  [
    'PlatformVersionEnds',
    { 'platform_api_version_days_left{platform="A", version="v25.0"}': '29x120' },
    { platform: 'A', version: 'v25.0' },
  ],
  ['RedisMemoryGrows', { redis_used_memory_bytes: '1e8x60 1.1e9x60' }],
  ['LogLinesDropped', { log_lines_dropped_total: '0x116 1x4' }],
  ['DescriptorsRunOut', { 'process_open_fds{job="social-ads-api", instance="b"}': '60x60 900x60' }, { instance: 'b' }],
];

const file = resolve('docs/alerts.yml');
const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

function expected({ labels, annotations }: Rule, more: Record<string, string>): object {
  const named = (text: string): string =>
    text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => more[name] ?? '');
  const shown = Object.entries(annotations).map(([name, text]) => [name, named(text)]);
  return { exp_labels: { ...labels, ...more }, exp_annotations: Object.fromEntries(shown) };
}

const testOf = (series: Record<string, string>, fired: Record<string, object[]>, alerts: string[]) => ({
  interval: '1m',
  input_series: Object.entries({ ...usual, ...series }).map(([name, values]) => ({ series: name, values })),
  alert_rule_test: alerts.map((alertname) => ({ eval_time: '119m', alertname, exp_alerts: fired[alertname] ?? [] })),
});

it.skipIf(!hasProgram('promtool'))('each alert fires for its fault, and none while all is well', () => {
  const names = rules.map(({ alert }) => alert);
  expect([...new Set(faults.map(([alert]) => alert))]).toEqual(names);
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
  const write = (name: string, content: object): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const testFile = (name: string, ruleFile: string, tests: object[]): string =>
    write(`${name}.test.yml`, { rule_files: [ruleFile], evaluation_interval: '1m', tests });
  // Every rule is evaluated for every minute of a test, so a fault gets its own rule alone.
  const faulty = rules.map((rule) => {
    const ruleFile = write(`${rule.alert}.rules.yml`, { groups: [{ name: rule.alert, rules: [rule] }] });
    const own = faults.filter(([alert]) => alert === rule.alert);
    const tests = own.map(([, series, labels = {}]) =>
      testOf(series, { [rule.alert]: [expected(rule, labels)] }, [rule.alert]),
    );
    return testFile(rule.alert, ruleFile, tests);
  });
  const paths = [testFile('well', file, [testOf({}, {}, names)]), ...faulty];
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', ...paths], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
});
