import mongoose, { type ConnectOptions } from 'mongoose';
import { connectionOptions } from './connection-options.ts';
import { rejectEndedSockets } from './ended-sockets.ts';
import { linkRunning } from './linked-sets.ts';
import { startStep } from './start-error.ts';

/** Indexes and collections are created by `ensureIndexes` only. */
const withoutInit = { autoIndex: false, autoCreate: false };

/** Connects with our defaults. */
export async function openConnection(uri: string, own: ConnectOptions = {}): Promise<mongoose.Connection> {
  const connection = mongoose.createConnection();
  const open = (): Promise<unknown> => connection.openUri(uri, { ...withoutInit, ...connectionOptions(uri), ...own });
  await startStep(connection, 'connecting', open).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  rejectEndedSockets(connection);
  linkRunning(connection);
  return connection;
}
