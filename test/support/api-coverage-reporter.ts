import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, isObjectType } from 'graphql';
import type { Reporter } from 'vitest/node';
import { openApiDocument } from './openapi.ts';

const everyCall = (): string[] => {
  const operations = Object.values(openApiDocument().paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  const types = Object.values(buildSchema(readFileSync('schema.graphql', 'utf8')).getTypeMap());
  const fields = types
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) =>
      isObjectType(type) ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : [],
    );
  return [...operations, ...fields];
};

/** Fails a whole run in which no test called some REST operation or some GraphQL field. */
export class ApiCoverageReporter implements Reporter {
  readonly #file = join(tmpdir(), `api-calls-${process.pid}`);
  readonly #isWhole: boolean;

  constructor({ isWhole }: { isWhole: boolean }) {
    this.#isWhole = isWhole;
    if (!isWhole) return;
    writeFileSync(this.#file, '');
    process.env['API_CALLS_FILE'] = this.#file;
  }

  onTestRunEnd(_modules: unknown, _errors: unknown, reason: string): void {
    if (!this.#isWhole) return;
    const calls = new Set(readFileSync(this.#file, 'utf8').split('\n'));
    rmSync(this.#file);
    const missing = everyCall().filter((name) => !calls.has(name));
    if (reason !== 'passed' || missing.length === 0) return;
    process.stderr.write(`No test calls ${missing.join(', ')}\n`);
    process.exitCode = 1;
  }
}
