import type { Ajv, SchemaValidateFunction } from 'ajv';

type QueryFields = Record<string, string | string[]>;

/** Keywords that JSON Schema lacks. */
export function addKeywords(ajv: Ajv, queryFields: QueryFields = {}): void {
  // How a list is written into a query or form: see decode.ts.
  ajv.addKeyword('style');
  ajv.addKeyword({
    keyword: 'atMostOneOf',
    validate: (groups: string[][], value: object) =>
      groups.every((group) => group.filter((name) => name in value).length <= 1),
  });
  const validate: SchemaValidateFunction = (_: unknown, query: string) => {
    const problem = queryProblem(query, queryFields);
    if (problem) validate.errors = [{ keyword: 'gaql', message: problem, params: {} }];
    return problem === undefined;
  };
  ajv.addKeyword({ keyword: 'gaql', errors: true, validate });
}

const clauses = /^SELECT ([\w., ]+) FROM (\w+)(?: WHERE (.+?))?(?: ORDER BY ([\w. ]+))?(?: LIMIT \d+)?$/;
const condition = /^([\w.]+) (=|!=|<|<=|>|>=|LIKE|NOT LIKE|IN|NOT IN|CONTAINS ANY|BETWEEN|DURING) (.+)$/;

/** A query of Google Ads: known fields, known operators, known values of enumerations. */
function queryProblem(query: string, fields: QueryFields): string | undefined {
  const [all, selected = '', , where = '', order = ''] = clauses.exec(query) ?? [];
  if (all === undefined) return 'is not a query';
  const conditions = where === '' ? [] : where.split(/ AND (?=[\w.]+ )/);
  const named = [...selected.split(','), ...(order === '' ? [] : [order.replace(/ (ASC|DESC)$/, '')])];
  const unknown = named.map((name) => name.trim()).find((name) => !(name in fields));
  if (unknown !== undefined) return `has the unknown field ${unknown}`;
  return conditions.map((text) => conditionProblem(text, fields)).find((problem) => problem !== undefined);
}

function conditionProblem(text: string, fields: QueryFields): string | undefined {
  const [, name = '', , value = ''] = condition.exec(text) ?? [];
  const type = fields[name];
  if (type === undefined) return `has an unknown condition: ${text}`;
  const words = [...value.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, word = '']) => word);
  const wrong = Array.isArray(type) ? words.find((word) => !type.includes(word)) : undefined;
  return wrong === undefined ? undefined : `compares ${name} with the unknown value ${wrong}`;
}
