// A document that its owner deletes stays, hidden, until the relay has emptied its outbox.

/** Filter: the owner has not deleted the document. */
export const notDeleted = { deletedAt: null };

/** Indexes deleted documents, and no others. */
export const deletedIndex = {
  fields: { deletedAt: 1 },
  options: { partialFilterExpression: { deletedAt: { $type: 'date' } } },
} as const;

/** A unique slot for a deleted document: negative, so that a new document can have its former slot. */
export const slotOfDeleted = (id: string): number => -Number.parseInt(id.slice(-13), 16);
