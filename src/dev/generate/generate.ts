import { readFile, writeFile } from 'node:fs/promises';
import { printSchema } from 'graphql';
import { dashboard } from './dashboard.ts';
import { operationsPage } from './operations-page.ts';
import { platformsPage } from './platforms-page.ts';
import { readme } from './readme.ts';
import { verifyPage } from './verify-page.ts';
import { specificationPage } from './specification.ts';
import { webhookVectors } from './webhook-vectors.ts';
import { schema } from '../../graphql/schema.ts';
import { operationGroups } from '../../operations/index.ts';
import { openApi } from '../../rest/openapi.ts';

/** Every file generated from the code, by path relative to the project root. */
export const generated = (): Record<string, string> => ({
  'schema.graphql': `${printSchema(schema)}\n`,
  'README.md': readme(),
  'docs/operations.md': operationsPage(),
  'docs/grafana-dashboard.json': `${JSON.stringify(dashboard(), undefined, 2)}\n`,
  'docs/platforms.md': platformsPage(),
  'docs/specification.md': specificationPage(),
  'docs/verify-platforms.md': verifyPage(),
  'docs/webhook-vectors.json': `${JSON.stringify(webhookVectors(), undefined, 2)}\n`,
  'docs/openapi.json': `${JSON.stringify(openApi(operationGroups), undefined, 2)}\n`,
});

/** Generated files that differ from the code. */
export async function staleFiles(): Promise<string[]> {
  const entries = Object.entries(generated());
  const current = await Promise.all(entries.map(([path]) => readFile(path, 'utf8').catch(() => '')));
  return entries.flatMap(([path, text], at) => (text === current[at] ? [] : [path]));
}

if (process.argv[1]?.endsWith('generate.ts')) {
  const stale = await staleFiles();
  if (process.argv.includes('--check')) {
    if (stale.length > 0) process.stderr.write(`Out of date: ${stale.join(', ')}. Run npm run generate.\n`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    await Promise.all(Object.entries(generated()).map(([path, text]) => writeFile(path, text)));
  }
}
