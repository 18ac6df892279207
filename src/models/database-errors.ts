import mongoose from 'mongoose';

/** The database is known not to respond; nothing was sent to it. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';

  constructor() {
    super('The database does not respond');
  }
}

/**
 * Error codes of a temporarily unavailable database: no primary is reachable, it shuts down or steps down, it blocks
 * writes, its disk is full, it is too slow, or it no longer accepts the credentials.
 */
const unavailableCodes = new Set([
  6, 7, 18, 50, 89, 91, 133, 189, 262, 371, 9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436, 14_031,
]);

/** Whether the database was unavailable, so that the error is not about the request. */
export function isConnectionError(error: unknown): boolean {
  const { mongo } = mongoose;
  if (error instanceof DatabaseUnavailableError) return true;
  if (error instanceof mongo.MongoNetworkError || error instanceof mongo.MongoServerSelectionError) return true;
  if (error instanceof mongo.MongoDriverError && error.name === 'MongoWaitQueueTimeoutError') return true;
  // A bulk write wraps whatever ended it.
  if (error instanceof mongo.MongoBulkWriteError && isConnectionError(error.errorResponse)) return true;
  return error instanceof mongo.MongoServerError && unavailableCodes.has(Number(error.code));
}

const duplicateKey = 11_000;

/** True for a unique-index violation, of the given field if one is named. */
export function isDuplicate(error: unknown, field?: string): boolean {
  const {
    code,
    keyPattern,
    message,
    writeErrors = [],
  } = error as {
    code?: number;
    keyPattern?: Record<string, unknown>;
    message?: string;
    writeErrors?: { code?: number } | { code?: number }[];
  };
  // In a bulk write the first error determines the result: writes that failed for another reason must not count as
  // done.
  if ([{ code }, writeErrors].flat().some((fault) => fault.code !== duplicateKey)) return false;
  return field === undefined || (keyPattern ? field in keyPattern : (message ?? '').includes(field));
}

export function ignoreDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}
