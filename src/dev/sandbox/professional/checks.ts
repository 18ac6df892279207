import { invalid } from './errors.ts';
import { accountUrn, type AdAccount, type Entity, type Person, type SandboxState } from './state.ts';
import type { Fields } from './shape.ts';

export interface Scene {
  sandbox: SandboxState;
  person: Person;
  account: AdAccount;
  /** The entity before an update. */
  before?: Entity;
}

/** Validates fields; throws the platform's error. */
export type Check = (scene: Scene, fields: Fields) => void;

export function requireOwnAccount(account: AdAccount, fields: Fields): void {
  if (fields['account'] !== accountUrn(account.id))
    throw invalid('account', `does not match the ad account ${account.id} of the request`, 'MISMATCH_FIELDS');
}

const atCreation = ['ACTIVE', 'DRAFT', 'PAUSED'];

/** REMOVED is final, and a status never returns to DRAFT (the latter is unconfirmed). */
export function checkStatus({ status }: Fields, before: Entity | undefined): void {
  const was = before?.fields['status'];
  if (!before && !atCreation.includes(String(status)))
    throw invalid('status', `${status} is not allowed in a create request`);
  if (was === 'PENDING_DELETION' && status !== was)
    throw invalid('status', 'cannot be changed while a deletion is pending', 'STATUS_CHANGE_NOT_ALLOWED');
  if (before && status === 'DRAFT' && was !== 'DRAFT')
    throw invalid('status', `can't be changed from ${was} to DRAFT`, 'STATUS_CHANGE_NOT_ALLOWED');
}

/** A start in the past is rejected when it is set; one that has passed cannot be changed. */
export function checkSchedule({ runSchedule }: Fields, before: Entity | undefined): void {
  const { start, end } = runSchedule as { start: number; end?: number };
  const was = (before?.fields['runSchedule'] as { start: number } | undefined)?.start;
  const now = Date.now();
  if (start !== was && was !== undefined && was < now)
    throw invalid('runSchedule/start', "can't be updated when it has already passed", 'DATE_IMMUTABLE_WHEN_PASSED');
  if (start !== was && start < now)
    throw invalid('runSchedule/start', `value ${start} must be no earlier than ${now}`, 'DATE_TOO_EARLY');
  if (end !== undefined && end <= start)
    throw invalid('runSchedule/end', 'must be after the start', 'START_DATE_AFTER_END_DATE');
}

interface Money {
  amount: string;
  currencyCode: string;
}

/** Currencies without minor units. */
const wholeUnitCurrencies = new Set(['CLP', 'JPY', 'KRW', 'VND']);
/** The minimum is ten dollars a day; those of other currencies are unconfirmed. */
const floors: Record<string, number> = { JPY: 1000, KRW: 10_000, VND: 200_000, CLP: 8000 };

export const dailyFloor = (currency: string): number => floors[currency] ?? 10;

/** The lowest bid; the platform derives it from the audience. */
const bidFloor = (currency: string): number => dailyFloor(currency) / 5;

export const tooLow = (field: string, amount: string, least: number): Error =>
  invalid(field, `value ${amount} can't be lower than ${least}`, 'FIELD_VALUE_TOO_LOW');

/** Budgets and bids are in the account's currency. A bid of 0 selects automatic bidding. */
export function checkMoney({ currency }: AdAccount, fields: Fields): void {
  for (const name of ['dailyBudget', 'totalBudget', 'unitCost']) {
    const value = fields[name] as Money | undefined;
    if (value === undefined) continue;
    if (value.currencyCode !== currency)
      throw invalid(`${name}/currencyCode`, `does not match the account currency ${currency}`, 'MISMATCH_FIELDS');
    if (wholeUnitCurrencies.has(currency) && /\.0*[1-9]/.test(value.amount))
      throw invalid(`${name}/amount`, `${currency} has no smaller unit`);
    const least = name === 'unitCost' ? bidFloor(currency) : dailyFloor(currency);
    const isAutomatic = name === 'unitCost' && Number(value.amount) === 0;
    if (!isAutomatic && Number(value.amount) < least) throw tooLow(`${name}/amount`, value.amount, least);
  }
}

const dayMs = 86_400_000;

export const totalOf = ({ totalBudget }: Fields): number | undefined =>
  totalBudget === undefined ? undefined : Number((totalBudget as Money).amount);

/** The daily minimum applies to each day of the run. */
export function checkTotal({ currency }: AdAccount, fields: Fields): void {
  const total = totalOf(fields);
  const { start, end } = (fields['runSchedule'] ?? {}) as { start?: number; end?: number };
  if (total === undefined || start === undefined || end === undefined) return;
  const least = dailyFloor(currency) * Math.max(1, Math.ceil((end - start) / dayMs));
  if (total < least) throw tooLow('totalBudget/amount', String(total), least);
}
