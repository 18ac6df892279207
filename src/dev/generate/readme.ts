import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { Environment } from '../../config/environment.ts';
import { operationGroups, subscriptions } from '../../operations/index.ts';
import { pathsOf, type Operation } from '../../operations/operation.ts';

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`;
const code = (text: string): string => `\`${text}\``;

/** The REST requests of a group, the methods of each path together. */
function requestsOf(operations: Operation[]): string {
  const methods = new Map<string, string[]>();
  for (const { method, ...operation } of operations)
    for (const path of pathsOf(operation)) methods.set(path, [...(methods.get(path) ?? []), method]);
  return [...methods]
    .map(([path, list]) => [...list.slice(0, -1).map(code), code(`${list.at(-1)} ${path}`)].join(', '))
    .join(', ');
}

const operationsTable = (): string =>
  [
    row('', 'REST', 'GraphQL'),
    row('---', '---', '---'),
    ...operationGroups.map(({ name, operations }) =>
      row(name, requestsOf(operations), operations.map((operation) => code(operation.name)).join(', ')),
    ),
    row('Subscriptions', '', subscriptions.map(({ name }) => code(name)).join(', ')),
  ].join('\n');

const defaultOf = (schema: z.ZodType): string => {
  const { shownDefault } = (schema.meta() ?? {}) as { shownDefault?: string };
  return shownDefault ?? code(String(schema.safeParse(undefined).data));
};

/** Settings with a meaning; those of each platform are in docs/platforms.md. */
const settingsTable = (): string =>
  [
    row('Variable', 'Default', 'Meaning'),
    row('---', '---', '---'),
    ...Object.entries(Environment.shape as Record<string, z.ZodType>).flatMap(([name, schema]) => {
      const { description } = schema.meta() ?? {};
      return description ? [row(code(name), defaultOf(schema), description)] : [];
    }),
    row(
      '`PLATFORM_A_...` to `PLATFORM_F_...`, `LISTING_...`, `EPHEMERAL_MESSAGING_...`',
      'the sandbox under `npm start`, else the real addresses',
      'address, version and app of each platform: [docs/platforms.md](docs/platforms.md)',
    ),
  ].join('\n');

export const between = (text: string, name: string, content: string): string =>
  text.replace(
    new RegExp(`(<!-- generated:${name} -->\\n)[^]*?(\\n<!-- /generated -->)`),
    (_, start: string, end: string) => `${start}\n${content}\n${end}`,
  );

/** The README with its generated tables. */
export const readme = (): string =>
  between(between(readFileSync('README.md', 'utf8'), 'operations', operationsTable()), 'settings', settingsTable());
