import { Schema } from 'mongoose';

/** Exclusive ownership of a document for a limited time. */
export interface Lease {
  /** The fencing token: a write under the token of an earlier lease changes nothing. */
  token: string;
  until: Date;
}

/** A lease as a member of a document; null while it is free. */
export const lease = { type: new Schema<Lease>({ token: String, until: Date }, { _id: false }), default: null };
