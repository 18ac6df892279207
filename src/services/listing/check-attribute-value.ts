import { invalidValue, type Problem } from '../../contract/error.ts';
import type { AttributeKind, AttributeValue } from '../../platforms/listing.ts';
import { linkProblem } from '../../lib/web-address.ts';

type Field = keyof AttributeValue;

/** The field that holds the value of each kind. */
const fieldOf: Record<string, { field: Field; example: string }> = {
  BOOL: { field: 'values', example: '[true]' },
  ENUM: { field: 'values', example: '["a choice"]' },
  URL: { field: 'uriValues', example: '[{"uri": "https://shop.example/menu"}]' },
  REPEATED_ENUM: { field: 'repeatedEnumValue', example: '{"setValues": ["a choice"]}' },
};

/** The problem of a value of this kind; an unknown kind is left to the platform. */
export function valueProblems(value: AttributeValue, kind: AttributeKind, path: string): Problem[] {
  const known = fieldOf[kind.valueType];
  if (!known) return [];
  const odd = (Object.keys(value) as Field[]).filter((field) => field !== known.field);
  const problems = odd.map((field) =>
    invalidValue(
      `${path}.${field}`,
      `does not hold a value of type ${kind.valueType}; send ${known.field}, such as ${known.example}`,
    ),
  );
  if (value[known.field] === undefined) return problems;
  return [...problems, ...ownProblems(value, kind, path)];
}

function ownProblems(value: AttributeValue, kind: AttributeKind, path: string): Problem[] {
  const { values = [], uriValues = [], repeatedEnumValue = {} } = value;
  switch (kind.valueType) {
    case 'BOOL':
      return isSingle(values, (one) => typeof one === 'boolean')
        ? []
        : [invalidValue(`${path}.values`, 'must be one boolean: [true] or [false]')];
    case 'ENUM':
      return isSingle(values, (one) => isChoice(kind, one))
        ? []
        : [invalidValue(`${path}.values`, `must be one of ${choicesOf(kind)}, in a list`)];
    case 'URL':
      return uriValues.flatMap(({ uri }, at) => {
        const problem = uriProblem(uri);
        return problem ? [invalidValue(`${path}.uriValues.${at}.uri`, problem)] : [];
      });
    default:
      return choiceProblems(repeatedEnumValue, kind, `${path}.repeatedEnumValue`);
  }
}

/** Attributes such as url_text_messaging take a number. */
const uriProblem = (uri: string): string | undefined =>
  /^(?:sms|tel):\+?[\d().-]{3,30}$/.test(uri) ? undefined : linkProblem(uri);

const isSingle = <T>(values: T[], isFit: (value: T) => boolean): boolean => values.length === 1 && values.every(isFit);

const choicesOf = ({ choices }: AttributeKind): string => choices.map(({ value }) => String(value)).join(', ');

/** A kind whose choices the platform does not list accepts any. */
const isChoice = ({ choices }: AttributeKind, given: boolean | string): boolean =>
  choices.length === 0 || choices.some(({ value }) => value === given);

function choiceProblems(
  { setValues = [], unsetValues = [] }: NonNullable<AttributeValue['repeatedEnumValue']>,
  kind: AttributeKind,
  path: string,
): Problem[] {
  const lists = Object.entries({ setValues, unsetValues });
  if (setValues.length + unsetValues.length === 0) return [invalidValue(path, 'must set or unset at least one choice')];
  const unknown = lists.flatMap(([name, list]) =>
    list.flatMap((choice, at) =>
      isChoice(kind, choice) ? [] : [invalidValue(`${path}.${name}.${at}`, `must be one of ${choicesOf(kind)}`)],
    ),
  );
  const twice = unsetValues.flatMap((choice, at) =>
    setValues.includes(choice) ? [invalidValue(`${path}.unsetValues.${at}`, `is set as well: ${choice}`)] : [],
  );
  return [...unknown, ...twice];
}
