import type { Ajv, SchemaValidateFunction } from 'ajv';
import type { Facts } from './facts.ts';

type QueryFields = Record<string, string | string[]>;
type Selectable = Record<string, string[]>;

/** Keywords that JSON Schema lacks. */
export function addKeywords(ajv: Ajv, { queryFields = {}, selectable = {} }: Facts): void {
  // How a list is written into a query or form: see decode.ts.
  ajv.addKeyword('style');
  ajv.addKeyword({
    keyword: 'atMostOneOf',
    type: 'object',
    validate: (groups: string[][], value: object) =>
      groups.every((group) => group.filter((name) => name in value).length <= 1),
  });
  addTextKeyword(ajv, 'gaql', (_, query) => queryProblem(query, queryFields));
  addTextKeyword(ajv, 'selects', (of, fields) => selectionProblem(fields, String(of), selectable));
}

function addTextKeyword(ajv: Ajv, keyword: string, check: (value: unknown, text: string) => string | undefined): void {
  const validate: SchemaValidateFunction = (value: unknown, text: string) => {
    const message = check(value, text);
    if (message !== undefined) validate.errors = [{ keyword, message, params: {} }];
    return message === undefined;
  };
  ajv.addKeyword({ keyword, type: 'string', errors: true, validate });
}

/** A selection of Meta: `id,creative{object_story_spec}`. */
function selectionProblem(text: string, of: string, selectable: Selectable): string | undefined {
  for (const [, name = '', inner] of text.matchAll(/(\w+)(?:\.\w+\([^)]*\))*(?:\{([^{}]*)\})?,?/g)) {
    const found = selectable[of]?.find((field) => field.split(':')[0] === name);
    if (found === undefined) return `selects ${name}, which ${of} does not have`;
    const [, deeper = ''] = found.split(':');
    const problem = inner && selectable[deeper] ? selectionProblem(inner, deeper, selectable) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
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
