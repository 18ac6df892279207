import mongoose, { type ConnectOptions } from 'mongoose';
import { connectionOptions } from './connection-options.ts';

/** Indexes and collections are created by `ensureIndexes` only. */
const withoutInit = { autoIndex: false, autoCreate: false };

interface Opening {
  connection: mongoose.Connection;
  /** Resolves when it is open. */
  opened: () => Promise<unknown>;
}

/** Opens a connection with our defaults. */
export function openConnection(uri: string, own: ConnectOptions = {}): Opening {
  const options = { ...withoutInit, ...connectionOptions(uri), ...own };
  const connection = mongoose.createConnection(uri, options);
  return {
    connection,
    opened: () =>
      connection.asPromise().catch((error: unknown) => {
        // The driver waits for a server, but opens the first connection of its pool only once, which a restart of the database cuts.
        if (!(error instanceof mongoose.mongo.MongoNetworkError)) throw error;
        return connection.openUri(uri, options);
      }),
  };
}
