import { catalogue, sources, type FieldType } from './catalogue.ts';
import { refusal } from './errors.ts';

type Value = string | string[] | undefined;

export interface Condition {
  field: string;
  operator: string;
  value: Value;
  /** The second value of BETWEEN. */
  upper?: string;
}

export interface Query {
  select: string[];
  from: string;
  where: Condition[];
  order: { field: string; isDown: boolean }[];
  limit?: number;
}

const bad = (code: string, message: string): Error => refusal(`queryError.${code}`, 400, { message });

const sign = /\s*(?:('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")|([A-Za-z_][\w.]*)|(-?\d+(?:\.\d+)?)|(!=|<=|>=|[=<>(),]))/y;

interface Token {
  kind: 'text' | 'word' | 'number' | 'sign';
  text: string;
}

function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  sign.lastIndex = 0;
  while (query.slice(sign.lastIndex).trim() !== '') {
    const at = sign.lastIndex;
    const [, text, word, number, mark] = sign.exec(query) ?? [];
    if (text !== undefined) tokens.push({ kind: 'text', text: text.slice(1, -1).replace(/\\(.)/g, '$1') });
    else if (word !== undefined) tokens.push({ kind: 'word', text: word });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (mark !== undefined) tokens.push({ kind: 'sign', text: mark });
    else if (/^\s*['"]/.test(query.slice(at)))
      throw bad('STRING_NOT_TERMINATED', 'Query contains unterminated string.');
    else throw bad('BAD_SYMBOL', `Error in query: unexpected input ${query.slice(at).trim().slice(0, 20)}.`);
  }
  return tokens;
}

/** Reads tokens one after the other. */
class Reader {
  readonly tokens: Token[];
  at = 0;

  constructor(tokens: Token[]) {
    this.tokens = tokens;
  }

  /** Consumes the given tokens if they come next. */
  skip(...texts: string[]): boolean {
    const fits = texts.every((text, index) => {
      const token = this.tokens[this.at + index];
      return token !== undefined && token.kind !== 'text' && token.text.toUpperCase() === text;
    });
    if (fits) this.at += texts.length;
    return fits;
  }

  take(kinds: Token['kind'][], code: string): string {
    const token = this.tokens[this.at];
    if (token === undefined) throw bad('UNEXPECTED_END_OF_QUERY', 'Query is incomplete and cannot be parsed.');
    if (!kinds.includes(token.kind)) throw bad(code, `Error in query: unexpected input ${token.text}.`);
    this.at += 1;
    return token.text;
  }

  list(read: () => string): string[] {
    const items = [read()];
    while (this.skip(',')) items.push(read());
    return items;
  }
}

/** Parses a query and validates it against the catalogue. */
export function parseQuery(text: string): Query {
  const reader = new Reader(tokensOf(text));
  if (!reader.skip('SELECT')) throw bad('EXPECTED_SELECT', 'Error in query: SELECT is missing at the beginning.');
  const select = reader.list(() => reader.take(['word'], 'UNEXPECTED_INPUT'));
  if (!reader.skip('FROM')) throw bad('EXPECTED_FROM', 'Error in query: FROM is missing.');
  const from = reader.take(['word'], 'BAD_RESOURCE_TYPE_IN_FROM_CLAUSE');
  if (!sources[from]) {
    throw bad('BAD_RESOURCE_TYPE_IN_FROM_CLAUSE', `Error in FROM clause: resource ${from} is not known.`);
  }
  const query: Query = { select, from, where: [], order: [] };
  if (reader.skip('WHERE')) {
    do query.where.push(condition(reader));
    while (reader.skip('AND'));
  }
  if (reader.skip('ORDER')) {
    if (!reader.skip('BY')) throw bad('EXPECTED_BY', 'Expecting ORDER BY to have BY.');
    do query.order.push(ordering(reader));
    while (reader.skip(','));
  }
  if (reader.skip('LIMIT')) query.limit = limitOf(reader);
  if (reader.skip('PARAMETERS')) reader.list(() => parameter(reader));
  const rest = reader.tokens[reader.at];
  if (rest) throw bad('UNEXPECTED_INPUT', `Error in query: unexpected input ${rest.text}.`);
  checkQuery(query);
  return query;
}

const ordering = (reader: Reader): Query['order'][number] => {
  const field = reader.take(['word'], 'UNEXPECTED_INPUT');
  const isDown = reader.skip('DESC');
  if (!isDown) reader.skip('ASC');
  return { field, isDown };
};

function limitOf(reader: Reader): number {
  const text = reader.take(['number', 'word', 'text'], 'BAD_LIMIT_VALUE');
  if (!/^\d+$/.test(text)) throw bad('BAD_LIMIT_VALUE', 'Limit value is invalid.');
  if (Number(text) < 1) throw bad('LIMIT_VALUE_TOO_LOW', 'The value passed to the limit clause is too low.');
  return Number(text);
}

const parameter = (reader: Reader): string => {
  const name = reader.take(['word'], 'UNEXPECTED_INPUT');
  if (!/^(include_drafts|omit_unselected_resource_names)$/.test(name))
    throw bad('BAD_PARAMETER_NAME', 'Parameter unknown.');
  if (!reader.skip('=')) throw bad('UNEXPECTED_INPUT', 'Error in query: a parameter has no value.');
  return reader.take(['word'], 'BAD_PARAMETER_VALUE');
};

const scalar: Token['kind'][] = ['text', 'word', 'number'];

function condition(reader: Reader): Condition {
  const field = reader.take(['word'], 'UNEXPECTED_INPUT');
  if (reader.skip('IS', 'NOT', 'NULL')) return { field, operator: 'IS NOT NULL', value: undefined };
  if (reader.skip('IS', 'NULL')) return { field, operator: 'IS NULL', value: undefined };
  const isNot = reader.skip('NOT');
  const operator = `${isNot ? 'NOT ' : ''}${reader.take(['sign', 'word'], 'BAD_OPERATOR').toUpperCase()}`;
  if (operator === 'IN' || operator === 'NOT IN') return { field, operator, value: inList(reader) };
  if (!/^(=|!=|<|<=|>|>=|LIKE|NOT LIKE|BETWEEN|DURING)$/.test(operator)) {
    throw bad('BAD_OPERATOR', `Error in WHERE clause: invalid operator ${operator}.`);
  }
  if (reader.skip('(')) throw bad('EXPECTED_SINGLE_VALUE', `Operator ${operator} requires a single value.`);
  const value = reader.take(scalar, 'BAD_VALUE');
  if (operator !== 'BETWEEN') return { field, operator, value };
  if (!reader.skip('AND')) throw bad('EXPECTED_AND', 'Expected AND between values with BETWEEN operator.');
  return { field, operator, value, upper: reader.take(scalar, 'EXPECTED_VALUE_WITH_BETWEEN_OPERATOR') };
}

function inList(reader: Reader): string[] {
  if (!reader.skip('(')) throw bad('EXPECTED_LIST', 'The operator requires the value to be a list.');
  if (reader.skip(')')) throw bad('PROHIBITED_EMPTY_LIST_IN_CONDITION', 'A condition was found with an empty list.');
  const values = reader.list(() => reader.take(scalar, 'BAD_VALUE'));
  if (!reader.skip(')')) throw bad('UNEXPECTED_INPUT', 'Error in query: a list is not closed.');
  return values;
}

const resourceOf = (field: string): string => field.split('.')[0] ?? '';

function checkQuery(query: Query): void {
  const { select, from, where, order } = query;
  const beside = sources[from] ?? [];
  const asked = [...select, ...where.map(({ field }) => field), ...order.map(({ field }) => field)];
  const unknown = asked.filter((field) => !catalogue.has(field));
  if (unknown.length > 0) {
    throw bad('UNRECOGNIZED_FIELD', `Error in query: unrecognized field in the query: '${unknown.join("', '")}'.`);
  }
  for (const [fields, clause] of [
    [select, 'SELECT'],
    [where.map(({ field }) => field), 'WHERE'],
  ] as const) {
    const odd = fields.find((field) => !beside.includes(resourceOf(field)));
    if (odd === undefined) continue;
    const code =
      resourceOf(odd) === 'metrics'
        ? 'PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE'
        : `PROHIBITED_RESOURCE_TYPE_IN_${clause}_CLAUSE`;
    throw bad(code, `'${odd}' cannot be used with a query FROM ${from}.`);
  }
  checkFigures(query);
  for (const one of where) checkCondition(one, catalogue.get(one.field) ?? { type: 's' });
  const shown = order.find(({ field }) => catalogue.get(field)?.type === 'm');
  if (shown) throw bad('PROHIBITED_FIELD_IN_ORDER_BY_CLAUSE', `'${shown.field}' cannot be sorted by.`);
}

/** Metrics that only some resources have, and segments that only some metrics have. */
function checkFigures({ select, from, where }: Query): void {
  const metrics = select.filter((field) => resourceOf(field) === 'metrics');
  const lacking = metrics.find(
    (field) =>
      (/unique_users|frequency_per_user/.test(field) && from !== 'campaign') ||
      (/quartile|engagements/.test(field) && from === 'geographic_view'),
  );
  if (lacking !== undefined)
    throw bad('PROHIBITED_METRIC_IN_SELECT_OR_WHERE_CLAUSE', `'${lacking}' cannot be used with a query FROM ${from}.`);
  const isByAction = select.some((field) => field.startsWith('segments.conversion_action'));
  const whole = metrics.find((field) => !/conversions/.test(field));
  if (isByAction && whole !== undefined)
    throw bad(
      'PROHIBITED_SEGMENT_WITH_METRIC_IN_SELECT_OR_WHERE_CLAUSE',
      `Cannot select or filter on the following segments: 'segments.conversion_action', since they are incompatible with: '${whole}'.`,
    );
  const isDated = where.some(({ field }) => field === 'segments.date');
  if (select.includes('segments.date') && !isDated)
    throw bad('EXPECTED_FILTERS_ON_DATE_RANGE', 'The query needs a condition on segments.date.');
  const hidden = where.find(
    ({ field }) => resourceOf(field) === 'segments' && field !== 'segments.date' && !select.includes(field),
  );
  if (hidden !== undefined)
    throw bad('EXPECTED_REFERENCED_FIELD_IN_SELECT_CLAUSE', `'${hidden.field}' must be present in SELECT clause.`);
}

function checkCondition({ field, operator, value, upper }: Condition, { type, values }: FieldType): void {
  const given = [value ?? [], upper ?? []].flat();
  if (type === 'm') throw bad('PROHIBITED_FIELD_IN_WHERE_CLAUSE', `'${field}' cannot be filtered by.`);
  const isDate = field === 'segments.date';
  const suits =
    operator.startsWith('IS') ||
    (type === 's' && !/DURING|BETWEEN/.test(operator)) ||
    (type === 'i' && !/LIKE|DURING/.test(operator)) ||
    (isDate && !/LIKE|IN|NULL/.test(operator.replace('DURING', ''))) ||
    /^(=|!=|IN|NOT IN)$/.test(operator);
  if (!suits) throw bad('OPERATOR_FIELD_MISMATCH', `Operator ${operator} is not applicable to '${field}'.`);
  const odd = given.find(
    (text) =>
      (type === 'e' && values?.includes(text) !== true) ||
      (type === 'i' && !/^-?\d+$/.test(text)) ||
      (type === 'b' && !/^(true|false)$/i.test(text)),
  );
  if (odd === undefined) return;
  throw bad(type === 'e' ? 'BAD_ENUM_CONSTANT' : 'BAD_VALUE', `Invalid value '${odd}' for '${field}'.`);
}
