import { Schema } from 'mongoose';

/** A budget that becomes active, in whole units of the currency. */
export interface ReservedBudget {
  /** The object that carries it. */
  carrier: string;
  amount: number;
}

export interface BudgetReservation {
  /** The id of the order or the copy, or the reference of the changed campaign. */
  id: string;
  kind: 'order' | 'copy' | 'change';
  budgets: ReservedBudget[];
  at: Date;
}

/** The budgets that are about to become active under the limits of one API key or one ad account. */
export interface BudgetLedgerDoc {
  _id: string;
  userId: string;
  /** Incremented with each write: a reservation depends on what was read. */
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
