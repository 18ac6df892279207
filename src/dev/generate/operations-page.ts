import { readFileSync } from 'node:fs';
import { commands } from '../../cli/commands.ts';
import { metricTable, type Metric } from '../../telemetry/metric-table.ts';
import { between } from './readme.ts';

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

const labelOf = ([name, values]: [string, readonly string[] | undefined]): string =>
  values && values.length > 0 && values.length < 8 ? `${code(name)} (${values.join(', ')})` : code(name);

export const metricsTable = (): string =>
  [
    row('Metric', 'Labels', 'Meaning'),
    row('---', '---', '---'),
    ...Object.entries(metricTable as Record<string, Metric>).map(([name, { labels = {}, help, isShared }]) =>
      row(code(name) + (isShared ? ' *' : ''), Object.entries(labels).map(labelOf).join(', '), help),
    ),
  ].join('\n');

const commandsTable = (): string =>
  [
    row('Command', 'Does'),
    row('---', '---'),
    ...Object.entries(commands).map(([name, { usage, about }]) =>
      row(code(`${name} ${usage}`.trim().replaceAll('|', '\\|')), about),
    ),
  ].join('\n');

/** docs/operations.md with its generated tables. */
export const operationsPage = (): string =>
  between(between(readFileSync('docs/operations.md', 'utf8'), 'metrics', metricsTable()), 'commands', commandsTable());
