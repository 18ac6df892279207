import type { Warning } from '../../contract/common.ts';
import { invalidValue, invalidInput, type Problem } from '../../contract/error.ts';
import type { ListingAttributeInput, UpdateListingAttributesInput } from '../../contract/listing.ts';
import { maskEntries } from '../../contract/listing-mask.ts';
import { nearest } from '../../contract/parse.ts';
import type { AttributeChange, AttributeKind, AttributeValue } from '../../platforms/listing.ts';
import { valueProblems } from './check-attribute-value.ts';

const prefix = 'attributes/';
const inFull = (name: string): string => (name.startsWith(prefix) ? name : prefix + name);
const withoutPrefix = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name);

export interface AttributePlan {
  changes: AttributeChange[];
  warnings: Warning[];
}

/** Combines mask and list; throws if the platform would delete something that the caller did not ask to delete. */
export function planAttributes({ attributes, attributeMask }: UpdateListingAttributesInput): AttributePlan {
  const mask = new Set(maskEntries(attributeMask).map(inFull));
  const problems: Problem[] = [];
  const given = new Map<string, { entry: ListingAttributeInput; path: string }>();
  for (const [at, entry] of attributes.entries()) {
    const name = inFull(entry.name);
    const path = `attributes.${at}`;
    if (given.has(name)) problems.push(invalidValue(`${path}.name`, `names ${withoutPrefix(name)} a second time`));
    given.set(name, given.get(name) ?? { entry, path });
  }
  const changes = [...mask].flatMap((name): AttributeChange[] => {
    const own = given.get(name);
    if (!own) {
      const message = `lacks ${withoutPrefix(name)}, which attributeMask names: the platform would delete it; to delete it, give it an empty list of values`;
      problems.push({ code: 'missing_required_field', path: 'attributes', message });
      return [];
    }
    const change = changeOf(name, own.entry, own.path);
    if (!change) problems.push({ code: 'missing_required_field', path: `${own.path}.values`, message: 'is required' });
    return change ? [change] : [];
  });
  if (problems.length > 0) throw invalidInput(problems);
  const warnings = [...given].filter(([name]) => !mask.has(name)).map(([name, { path }]) => notApplied(path, name));
  return { changes, warnings };
}

const notApplied = (param: string, name: string): Warning => ({
  param,
  message: `was not applied: attributeMask does not name ${withoutPrefix(name)}`,
});

/** Undefined if the caller gave no value; only an explicit empty value deletes. */
function changeOf(name: string, entry: ListingAttributeInput, path: string): AttributeChange | undefined {
  const { values, uriValues, repeatedEnumValue } = entry;
  if (values === undefined && uriValues === undefined && repeatedEnumValue === undefined) return undefined;
  const { setValues, unsetValues } = repeatedEnumValue ?? {};
  const value: AttributeValue = {
    ...(values?.length && { values }),
    ...(uriValues?.length && { uriValues }),
    ...(repeatedEnumValue && {
      repeatedEnumValue: { ...(setValues?.length && { setValues }), ...(unsetValues?.length && { unsetValues }) },
    }),
  };
  return { name, path, ...(Object.keys(value).length > 0 && { value }) };
}

/**
 * Checks each change against the location's attributes and reports all problems; values that the platform would not
 * save cause warnings.
 */
export function checkKinds({ changes, warnings }: AttributePlan, kinds: AttributeKind[]): Warning[] {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const problems = changes.flatMap((change): Problem[] => {
    const kind = byName.get(change.name);
    if (!kind) return [unknownAttribute(change, kinds)];
    return change.value ? valueProblems(change.value, kind, change.path) : [];
  });
  if (problems.length > 0) throw invalidInput(problems);
  const deprecated = changes.filter(({ name }) => byName.get(name)?.isDeprecated);
  return [
    ...warnings,
    ...deprecated.map(({ path, name }) => ({
      param: path,
      message: `may have no effect: the platform no longer saves ${withoutPrefix(name)}`,
    })),
  ];
}

function unknownAttribute({ name }: AttributeChange, kinds: AttributeKind[]): Problem {
  const near = nearest(
    withoutPrefix(name),
    kinds.map((kind) => withoutPrefix(kind.name)),
  );
  const hint = near ? `; did you mean ${near}?` : '; see listing-attribute-metadata';
  return invalidValue(
    'attributeMask',
    `names ${withoutPrefix(name)}, which the platform does not offer for this location${hint}`,
  );
}
