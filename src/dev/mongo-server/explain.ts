import type { Collection, FindOptions } from './collection.ts';
import { filterOf, namespaceOf, type Handler } from './command.ts';
import { notSupported } from './errors.ts';
import { firstOfEach } from './first-of-each.ts';
import { leadingQuery } from './pipeline.ts';
import type { Plan } from './plan.ts';
import { optionsOf } from './read-commands.ts';
import type { Doc } from './values.ts';

interface Query {
  filter: Doc;
  options: FindOptions;
  /** The field of a `distinct`. */
  field?: string;
}

const first = (list: Doc[] | undefined): Doc => list?.[0] ?? {};

/** The query that a command runs to find its documents. */
const queries: Record<string, (command: Doc) => Query> = {
  find: (command) => ({ filter: filterOf(command.filter), options: optionsOf(command) }),
  count: (command) => ({ filter: filterOf(command.query), options: optionsOf(command) }),
  distinct: (command) => ({ filter: filterOf(command.query), options: {}, field: String(command.key) }),
  aggregate: ({ pipeline = [], hint }) => {
    const { filter, sort, limit } = leadingQuery(pipeline);
    return { filter, options: { sort, limit, hint } };
  },
  update: ({ updates }) => ({ filter: filterOf(first(updates).q), options: { hint: first(updates).hint } }),
  delete: ({ deletes }) => ({ filter: filterOf(first(deletes).q), options: { hint: first(deletes).hint } }),
  findAndModify: ({ query, sort, hint }) => ({ filter: filterOf(query), options: { sort, hint, limit: 1 } }),
};

const stageOf = ({ ids, index, branches }: Plan): Doc => {
  if (branches) return { stage: 'OR', inputStages: branches.map(stageOf) };
  if (ids) return { stage: 'IDHACK' };
  return index ? { stage: 'IXSCAN', indexName: index.name, keyPattern: index.spec.key } : { stage: 'COLLSCAN' };
};

function winningPlan(collection: Collection, { filter, options, field }: Query, plan: Plan): Doc {
  if (field && firstOfEach(collection, field, filter)) return { stage: 'DISTINCT_SCAN' };
  const stage = stageOf(plan);
  return options.sort && !plan.isSorted ? { stage: 'SORT', sortPattern: options.sort, inputStage: stage } : stage;
}

/** Reports the index of a query, or of the query of a write, and the number of examined documents; changes nothing. */
const explain: Handler = (call) => {
  const inner: Doc = call.command.explain ?? {};
  const [name = ''] = Object.keys(inner);
  const queryOf = Object.hasOwn(queries, name) ? queries[name] : undefined;
  if (!queryOf) throw notSupported(`explain of ${name || 'nothing'}`);
  const namespace = namespaceOf({ ...call, command: inner });
  const query = queryOf(inner);
  const collection = call.engine.find(namespace);
  const found = collection?.find(query.filter, query.options);
  return {
    queryPlanner: {
      namespace,
      winningPlan: collection && found ? winningPlan(collection, query, found.plan) : { stage: 'EOF' },
    },
    executionStats: { nReturned: found?.docs.length ?? 0, totalDocsExamined: found?.examined ?? 0 },
    ok: 1,
  };
};

export const explainCommands: Record<string, Handler> = { explain };
