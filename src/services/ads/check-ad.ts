import { CreateAdInput, requestShape } from '../../contract/ad-input.ts';
import type { Capability } from '../../contract/capability.ts';
import type { Warning } from '../../contract/common.ts';
import type { Problem } from '../../contract/error.ts';
import { inFieldOrder } from '../../contract/parse.ts';
import { platforms } from '../../contract/platforms.ts';
import type { AdCheckContext } from './ad-check-context.ts';
import { checkExclusions } from './check-exclusions.ts';
import { checkFields, foreignLeadButton } from './check-fields.ts';
import { checkMoney } from './check-money.ts';
import { checkRules, holds, valueAt } from './check-rules.ts';
import { checkUrlParameters } from './check-url-parameters.ts';
import { endProblem } from './supported-end.ts';
import { startProblem } from './supported-start.ts';

export interface AdCheck {
  problems: Problem[];
  warnings: Warning[];
}

/** Every rule of the platform, in one pass over its row of the capability table: all problems at once. */
export function checkAd(input: CreateAdInput, facts: AdCheckContext): AdCheck {
  const row: Capability = platforms[facts.platform];
  const ignored = row.ignored.filter(
    ({ field, when }) => valueAt(input, field) !== undefined && holds(when, input, facts),
  );
  const ad = without(input, new Set(ignored.map(({ field }) => field)));
  // Skip rules for an unsupported request shape; checkFields already reports it.
  const isKnownShape = row.shapes.includes(requestShape(ad));
  const problems = [
    ...checkFields(ad, row, facts.platform),
    ...(isKnownShape ? [...checkRules(ad, row, facts), ...ownRules(ad, row, facts)] : []),
    ...checkMoney(ad, row, facts),
    ...startDate(ad, row, facts),
    ...endDate(ad, row, facts),
    ...videoEntries(ad),
    ...checkExclusions(ad),
    ...checkUrlParameters(ad, facts.platform),
  ];
  const warnings = ignored.map(({ field, why }) => ({ param: field, message: `is ignored: ${why}` }));
  return {
    problems: inFieldOrder(problems, CreateAdInput),
    warnings: [...warnings, ...leadButtonWarnings(ad, row), ...ownWarnings(ad, facts)],
  };
}

/** What the adapter knows of values; of a goal that the platform has not, it knows nothing. */
const ownRules = (input: CreateAdInput, { goals }: Capability, { checkOrder }: AdCheckContext): Problem[] =>
  checkOrder && (input.goal === undefined || goals.includes(input.goal))
    ? checkOrder(input).map((problem) => ({ code: 'invalid_field_value', ...problem }))
    : [];

const ownWarnings = (input: CreateAdInput, { orderWarnings, ...facts }: AdCheckContext): Warning[] =>
  (orderWarnings?.(input, facts) ?? []).map(({ path, message }) => ({ param: path, message }));

/** The input without ignored fields, so that no rule fails on one of them. */
const without = (input: CreateAdInput, fields: Set<string>): CreateAdInput =>
  Object.fromEntries(Object.entries(input).filter(([field]) => !fields.has(field))) as CreateAdInput;

/** Allows for the time until the order reaches the platform, which counts from then. */
const orderMs = 60_000;

function startDate(input: CreateAdInput, { startPrecision }: Capability, facts: AdCheckContext): Problem[] {
  const message = startProblem(input, { startPrecision, ...facts });
  return message === undefined ? [] : [{ code: 'invalid_field_value', path: 'startDate', message }];
}

function endDate(
  { startDate, endDate: end, budgetType }: CreateAdInput,
  { dailyRunHours = 0 }: Capability,
  facts: AdCheckContext,
): Problem[] {
  if (!end) return [];
  const wrong = (message: string): Problem[] => [{ code: 'invalid_field_value', path: 'endDate', message }];
  const start = startDate === undefined ? undefined : new Date(startDate);
  // A start after the end is reported as a problem of the start.
  const isReversed = start !== undefined && start >= new Date(end);
  const problem = endProblem(end, { ...facts, ...(start && !isReversed && { start }) });
  if (problem) return wrong(problem);
  if (budgetType !== 'daily' || dailyRunHours === 0 || isReversed) return [];
  const from = Math.max(start?.getTime() ?? 0, facts.now.getTime() + orderMs);
  const isShort = new Date(end).getTime() - from <= dailyRunHours * 3_600_000;
  const where = start ? 'after startDate' : 'away';
  return isShort ? wrong(`must be more than ${dailyRunHours} hours ${where} with a daily budget`) : [];
}

/** Only a video has views. */
const videoEntries = ({ goal, creatives = [] }: CreateAdInput): Problem[] =>
  goal === 'video_views'
    ? creatives.flatMap(({ video }, at): Problem[] =>
        video
          ? []
          : [
              {
                code: 'missing_required_field',
                path: `creatives.${at}.video`,
                message: 'is required: only a video has views',
              },
            ],
      )
    : [];

const leadButtonWarnings = (input: CreateAdInput, row: Capability): Warning[] =>
  row.leadFormButtons?.isEnforced === false
    ? foreignLeadButton(input, row).map(({ path, message }) => ({
        param: path,
        message: `${message}. The platform may refuse it`,
      }))
    : [];
