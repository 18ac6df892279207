import { requestShape, type CreateAdInput } from '../../contract/ad-input.ts';
import type { Capability, Rule, When } from '../../contract/capability.ts';
import { budgetLevelOf } from '../../contract/platforms.ts';
import type { Problem } from '../../contract/error.ts';
import type { AdCheckContext } from './ad-check-context.ts';
import { targetsEu } from '../../contract/targeted-countries.ts';
import { lengthOf } from './text-length.ts';

type MaxRule = Extract<Rule, { max: number }>;

/** The rules of the platform's row that apply to this order and are broken. */
export const checkRules = (input: CreateAdInput, { rules }: Capability, facts: AdCheckContext): Problem[] =>
  rules.filter(({ when }) => holds(when, input, facts)).flatMap((rule) => broken(rule, input));

function broken(rule: Rule, input: CreateAdInput): Problem[] {
  if ('max' in rule) return tooLong(rule, input);
  const given = (path: string): boolean => valueAt(input, path) !== undefined;
  const because = rule.why ? `: ${rule.why}` : '';
  if ('need' in rule) {
    return given(rule.need) ? [] : [missing(rule.need, `is required${because}`)];
  }
  if ('needOneOf' in rule) {
    const [first = ''] = rule.needOneOf;
    return rule.needOneOf.some(given)
      ? []
      : [missing(first, `one of ${rule.needOneOf.join(', ')} is required${because}`)];
  }
  if ('needEntries' in rule) {
    const { needEntries, of, why } = rule;
    const lacking = needEntries - ((valueAt(input, of) as unknown[] | undefined)?.length ?? 0);
    const message = `${why}; ${lacking} more ${lacking === 1 ? 'is' : 'are'} missing`;
    return lacking > 0 ? [missing(of, message)] : [];
  }
  if ('mustBe' in rule) {
    return [{ code: 'invalid_field_value', path: rule.of, message: `must be ${rule.mustBe}${because}` }];
  }
  const [one, other] = rule.notBoth;
  if (!given(one) || !given(other)) return [];
  return [{ code: 'mutually_exclusive_fields', path: other, message: `cannot be combined with ${one}${because}` }];
}

const missing = (path: string, message: string): Problem => ({ code: 'missing_required_field', path, message });

function tooLong({ max, of, counted, taken }: MaxRule, input: CreateAdInput): Problem[] {
  const value = valueAt(input, of);
  const texts = Array.isArray(value) ? value.map((text, at) => [`${of}.${at}`, text]) : [[of, value]];
  const reserved = taken && valueAt(input, taken.by) !== undefined ? taken.characters : 0;
  const note = reserved > 0 ? `, ${reserved} of them for the link` : '';
  return texts.flatMap(([path, text]): Problem[] => {
    const length = typeof text === 'string' ? lengthOf(text, counted) + reserved : 0;
    const message = `must have at most ${max} characters as the platform counts them${note}; it has ${length}`;
    return length > max ? [{ code: 'invalid_field_value', path, message }] : [];
  });
}

/** Whether every condition of a rule is met. */
export function holds(when: When | undefined, input: CreateAdInput, facts: AdCheckContext): boolean {
  if (!when) return true;
  const isOne = (allowed: readonly string[] | undefined, value: string | undefined): boolean =>
    !allowed || (value !== undefined && allowed.includes(value));
  return (
    isOne(when.goal, input.goal) &&
    isOne(when.shape, requestShape(input)) &&
    isOne(when.campaignType, input.campaignType ?? 'display') &&
    (!when.budgetLevel || when.budgetLevel === budgetLevelOf(facts.platform, input.budgetLevel)) &&
    (when.has ?? []).every((path) => valueAt(input, path) !== undefined) &&
    (!when.fact || factHolds(when.fact, input, facts))
  );
}

function factHolds(fact: NonNullable<When['fact']>, input: CreateAdInput, facts: AdCheckContext): boolean {
  switch (fact) {
    case 'targetsEu':
      return targetsEu(input);
    case 'lacksPage':
      return !facts.hasPage;
    case 'lacksOrganization':
      return !facts.hasOrganization;
    case 'customIdentity':
      return isCustomIdentity(input, facts);
    case 'needsBrandIdentity':
      // Followers are never won for a custom identity, so that goal needs none.
      return isCustomIdentity(input, facts) && !facts.hasBrandIdentity && input.goal !== 'engagement';
    default:
      return fact satisfies never;
  }
}

const isCustomIdentity = ({ identityType }: CreateAdInput, { hasPostingAccount }: AdCheckContext): boolean =>
  identityType === undefined ? !hasPostingAccount : identityType === 'CUSTOMIZED_USER';

/** The value at a dotted path. */
export function valueAt(input: CreateAdInput, path: string): unknown {
  let value: unknown = input;
  for (const step of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[step];
  return value;
}
