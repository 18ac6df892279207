import { spawnSync } from 'node:child_process';
import { BSON } from 'bson';

/**
 * Plans of a DocumentDB engine, which explains nothing over the wire, from the EXPLAIN of its PostgreSQL. The command line of
 * psql comes from the environment: `DOCUMENTDB_PSQL="psql -h 127.0.0.1 -p 9712 -U postgres -d postgres"`.
 */
export function postgresPlans(database: string, commands: ReadonlyMap<string, Command>): Map<string, string> {
  const [psql = 'psql', ...args] = (process.env['DOCUMENTDB_PSQL'] ?? '').split(' ');
  const queries = [...commands].map(
    ([shape, command]) => `\\echo ${separator}${shape}\nEXPLAIN (COSTS OFF) ${selectOf(database, command)};`,
  );
  // Few documents are read faster as a whole; the question is whether an index serves the query.
  const input = `SET enable_seqscan = off;\n${queries.join('\n')}\n`;
  const { stdout, stderr, status } = spawnSync(psql, [...args, '-X', '-q', '-A', '-t'], { input, encoding: 'utf8' });
  if (status !== 0 || stderr.includes('ERROR')) throw new Error(`psql failed: ${stderr.slice(0, 2_000)}`);
  return new Map(stdout.split(separator).slice(1).map(planOf));
}

export interface Command {
  name: string;
  collection: string;
  filter: object;
  /** The driver sends a map, which keeps the order of the fields. */
  sort: object | Map<string, unknown>;
  pipeline?: object[];
  key?: string;
}

const separator = '=== ';

/** Writes are explained as the query that finds their documents. */
function selectOf(database: string, { name, collection, filter, sort, pipeline, key }: Command): string {
  const call = (kind: string, spec: object): string =>
    `SELECT document FROM documentdb_api_catalog.bson_aggregation_${kind}(${text(database)}, 'BSONHEX${Buffer.from(BSON.serialize(spec)).toString('hex')}'::documentdb_core.bson)`;
  if (name === 'aggregate') return call('pipeline', { aggregate: collection, pipeline, cursor: {} });
  if (name === 'count') return call('count', { count: collection, query: filter });
  if (name === 'distinct') return call('distinct', { distinct: collection, key, query: filter });
  return call('find', { find: collection, filter, ...(sizeOf(sort) > 0 && { sort }) });
}

const sizeOf = (sort: Command['sort']): number => (sort instanceof Map ? sort.size : Object.keys(sort).length);

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

function planOf(explained: string): [shape: string, plan: string] {
  const [shape = '', ...lines] = explained.trimEnd().split('\n');
  const plan = lines.join('\n');
  const indexes = [...plan.matchAll(/(?:Index (?:Only )?Scan (?:Backward )?using|Bitmap Index Scan on) "?([^\s"]+)/g)];
  const names = [...new Set(indexes.map(([, name = '']) => (/_pk_|^_id_$/.test(name) ? '_id_' : name)))];
  if (/Seq Scan on documents_/.test(plan)) names.push('COLLSCAN');
  if (names.length === 0) names.push('no index');
  return [
    shape,
    names.join(' and ') + (/Sort Key: \(documentdb_api_catalog\.bson_orderby/.test(plan) ? ', sorted' : ''),
  ];
}
