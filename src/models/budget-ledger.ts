import { Schema } from 'mongoose';

/** A budget that becomes active, in whole units of the currency. */
export interface ReservedBudget {
  /** The campaign or ad set that has it, or will have it. */
  carrier: string;
  amount: number;
}

export interface BudgetReservation {
  /** The id of the order or the copy, or the reference of the changed campaign. */
  id: string;
  kind: 'order' | 'copy' | 'change';
  budgets: ReservedBudget[];
  at: Date;
  /** Of a change: which request reserved it. */
  attempt?: string;
  /** Of a change: what it sets. */
  sets?: string;
}

/** The reserved budgets of one API key or one ad account that has limits. */
export interface BudgetLedgerDoc {
  _id: string;
  userId: string;
  /** Incremented with each write, so that a write fails if the ledger has changed since it was read. */
  version: number;
  reservations: BudgetReservation[];
}

const required = { type: String, required: true };

export const budgetLedgerSchema = new Schema<BudgetLedgerDoc>(
  {
    _id: required,
    userId: required,
    version: { type: Number, required: true },
    reservations: { type: [Schema.Types.Mixed], default: [] } as never,
  },
  { versionKey: false, collection: 'budget_ledgers' },
).index({ userId: 1, _id: -1 });
