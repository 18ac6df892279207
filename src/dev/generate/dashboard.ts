import { metricTable, type Metric } from '../../telemetry/metric-table.ts';

/** The query of a panel: shared metrics are the same in every process, all others are summed over processes. */
function queryOf(name: string, { type, labels = {}, isShared }: Metric): string {
  const by = Object.keys(labels);
  const grouped = (all: string[]): string => (all.length > 0 ? ` by (${all.join(', ')})` : '');
  if (type === 'histogram')
    return `histogram_quantile(0.95, sum${grouped(['le', ...by])} (rate(${name}_bucket[$__rate_interval])))`;
  const combine = isShared ? 'max' : 'sum';
  return `${combine}${grouped(by)} (${type === 'counter' ? `rate(${name}[$__rate_interval])` : name})`;
}

const unitOf = (name: string, { type }: Metric): string => {
  if (name.endsWith('_bytes')) return 'bytes';
  if (name.endsWith('_seconds')) return 's';
  if (name.endsWith('_days_left')) return 'd';
  return type === 'counter' ? 'cps' : 'short';
};

const columns = 3;
const width = 24 / columns;
const height = 8;

function panelOf([name, metric]: [string, Metric], at: number): object {
  const legend = Object.keys(metric.labels ?? {}).map((label) => `{{${label}}}`);
  return {
    id: at + 1,
    type: 'timeseries',
    title: metric.type === 'histogram' ? `${name} (95th percentile)` : name,
    description: metric.help,
    datasource: { type: 'prometheus', uid: '${datasource}' },
    gridPos: { x: (at % columns) * width, y: Math.floor(at / columns) * height, w: width, h: height },
    fieldConfig: { defaults: { unit: unitOf(name, metric) }, overrides: [] },
    targets: [{ refId: 'A', expr: queryOf(name, metric), legendFormat: legend.join(' ') || name }],
  };
}

/** A Grafana dashboard with a panel for each metric. */
export const dashboard = (): object => ({
  title: 'Social ads API',
  uid: 'social-ads-api',
  schemaVersion: 39,
  tags: ['social-ads-api'],
  time: { from: 'now-6h', to: 'now' },
  refresh: '1m',
  templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
  panels: Object.entries(metricTable as Record<string, Metric>).map(panelOf),
});
