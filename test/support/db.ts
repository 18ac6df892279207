import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import { startStore } from '../../src/dev/mongo-server/index.ts';

export interface TestDatabase {
  uri: string;
  stop: () => Promise<void>;
}

/** A database of its own: in the server of MONGODB_URI when there is one, else in a store of its own in this process. */
export async function testDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = process.env['MONGODB_URI'];
  if (server) return onServer(server, name);
  const store = await startStore();
  return { uri: store.uri(name), stop: () => store.stop() };
}

function onServer(server: string, name: string): TestDatabase {
  const address = new URL(server);
  address.pathname = `/${name}`;
  const uri = address.toString();
  return {
    uri,
    stop: async () => {
      const connection = await mongoose.createConnection(uri).asPromise();
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

/** The same database for a client that emits an event for each command that it sends. */
export function monitored(uri: string): string {
  const address = new URL(uri);
  address.searchParams.set('monitorCommands', 'true');
  return address.toString();
}

/** How long the driver waits for a server or a response at the address of `slowDriver`. */
export const driverMs = 30_000;

/** The address for a service that must return an error long before the driver does. */
export function slowDriver(address: URL): string {
  const slow = new URL(address);
  for (const name of ['serverSelectionTimeoutMS', 'socketTimeoutMS', 'waitQueueTimeoutMS'])
    slow.searchParams.set(name, String(driverMs));
  return slow.toString();
}
