/** The part of a document that a projection reads. */
export type Projected<D extends { _id: string }, P extends object> = Pick<D, (keyof P & keyof D) | '_id'>;
