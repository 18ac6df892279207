import { unprocessable } from './errors.ts';
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
    throw unprocessable('account', `does not match the ad account ${account.id} of the request`);
}

const atCreation = ['ACTIVE', 'DRAFT', 'PAUSED'];

/** REMOVED is final, and a status never returns to DRAFT (the latter is unconfirmed). */
export function checkStatus({ status }: Fields, before: Entity | undefined): void {
  const was = before?.fields['status'];
  if (!before && !atCreation.includes(String(status)))
    throw unprocessable('status', `${status} is not allowed in a create request`);
  if (was === 'PENDING_DELETION' && status !== was)
    throw unprocessable('status', 'cannot be changed while a deletion is pending');
  if (before && status === 'DRAFT' && was !== 'DRAFT')
    throw unprocessable('status', `cannot be changed from ${was} to DRAFT`);
}

export function checkSchedule({ runSchedule }: Fields): void {
  const { start, end } = runSchedule as { start: number; end?: number };
  if (end !== undefined && end <= start) throw unprocessable('runSchedule/end', 'must be after the start');
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

/** Budgets and bids are in the account's currency; the error codes of limits are unconfirmed. */
export function checkMoney(account: AdAccount, fields: Fields): void {
  for (const name of ['dailyBudget', 'totalBudget', 'unitCost']) {
    const value = fields[name] as Money | undefined;
    if (value === undefined) continue;
    if (value.currencyCode !== account.currency)
      throw unprocessable(`${name}/currencyCode`, `does not match the account currency ${account.currency}`);
    if (wholeUnitCurrencies.has(account.currency) && /\.0*[1-9]/.test(value.amount))
      throw unprocessable(`${name}/amount`, `${account.currency} has no smaller unit`);
    if (name !== 'unitCost' && Number(value.amount) < dailyFloor(account.currency)) {
      const floor = `${dailyFloor(account.currency)} ${account.currency}`;
      throw unprocessable(`${name}/amount`, `is below the minimum of ${floor}`, 'BUDGET_TOO_LOW');
    }
  }
}
