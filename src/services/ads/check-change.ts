import type { Capability } from '../../contract/capability.ts';
import type { Warning } from '../../contract/common.ts';
import { invalidInput, type Problem } from '../../contract/error.ts';
import { platforms } from '../../contract/platforms.ts';
import type { UrlParameter } from '../../contract/url-parameters.ts';
import type { Ctx } from '../context.ts';
import { precisionProblems } from './check-money.ts';
import { parameterProblems } from './check-url-parameters.ts';
import type { LevelSubject, RecordedTerms } from './level-subject.ts';
import { endProblem, withSupportedEnd } from './supported-end.ts';

interface Change {
  name?: string;
  budgetAmount?: number;
  endDate?: string | null;
  status?: string;
  urlParameters?: UrlParameter[];
}

interface Rules extends Pick<RecordedTerms, 'startDate'> {
  /** At least one of them is required. */
  fields: (keyof Change)[];
}

/** Validates a change without a call, and moves its end to one that the platform supports. */
export function requireValidChange<T extends Change>(
  ctx: Ctx,
  subject: LevelSubject,
  { change, ...rules }: { change: T } & Rules,
): { input: T; warnings: Warning[] } {
  const problems = problemsOf(ctx, subject, { change, ...rules });
  if (problems.length > 0) throw invalidInput(problems);
  const { target, ref } = subject;
  const { supportedEnd } = target.adapter;
  return withSupportedEnd(change, { supportedEnd, adAccount: ref.adAccount, now: ctx.clock.now() });
}

/** The rules of a change, the same as those of createAd. */
function problemsOf(
  ctx: Ctx,
  { target: { adapter }, ref: { adAccount }, ad }: LevelSubject,
  { change, startDate, fields }: { change: Change } & Rules,
): Problem[] {
  const { budgetAmount, endDate, urlParameters: parameters } = change;
  const { currency } = adAccount;
  const problems: Problem[] = [];
  if (fields.every((field) => change[field] === undefined)) {
    const message = `is required: give at least one of ${fields.join(', ')}`;
    problems.push({ code: 'missing_required_field', path: 'name', message });
  }
  problems.push(
    ...precisionProblems('budgetAmount', budgetAmount ?? 0, { currency, factor: adapter.currencyFactor(currency) }),
  );
  const start = startDate === undefined ? undefined : new Date(startDate);
  const ending = { supportedEnd: adapter.supportedEnd, adAccount, now: ctx.clock.now(), start };
  const tooEarly = endDate && endProblem(endDate, ending);
  if (tooEarly) problems.push({ code: 'invalid_field_value', path: 'endDate', message: tooEarly });
  const { keepsEnd }: Capability = platforms[adapter.platform];
  if (endDate === null && keepsEnd !== undefined) {
    const message = `cannot be removed on platform ${adapter.platform}: ${keepsEnd}`;
    problems.push({ code: 'invalid_field_value', path: 'endDate', message });
  }
  const links = [ad?.creative?.['linkUrl'] as string | null | undefined];
  problems.push(...parameterProblems(adapter.platform, { path: 'urlParameters', parameters, links }));
  return problems;
}
