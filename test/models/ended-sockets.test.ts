import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDb, type Db } from '../../src/models/db.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';

interface Connection {
  closed: boolean;
  socket: { destroy: () => void };
}

interface Server {
  monitor: { connection: Connection; requestCheck: () => void };
  pool: { connections: Iterable<Connection> };
}

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await testDatabase();
  db = await connectDb(database.uri, createLog('silent'));
  await db.ping();
});
afterAll(async () => {
  await db.close();
  await database.stop();
});

/** The server as the driver sees it. */
function server(): Server {
  const { topology } = db.users.db.getClient() as unknown as { topology: { s: { servers: Map<string, Server> } } };
  return [...topology.s.servers.values()][0] as Server;
}

/** Ends the sockets as the database does when it stops: the driver learns of it once the event loop has turned. */
function end(connections: Iterable<Connection>): void {
  for (const connection of connections) {
    connection.socket.destroy();
    expect(connection.closed).toBe(false);
  }
}

describe('when the database has closed the socket, and the driver does not know it yet', () => {
  it('a command fails and is repeated; it waited forever', async () => {
    end(server().pool.connections);
    await expect(db.users.findOne({}).lean()).resolves.toBeNull();
  });

  it('the check of the server fails, and the next one finds it; none would have followed', async () => {
    const client = db.users.db.getClient();
    client.once('serverHeartbeatStarted', () => end([server().monitor.connection]));
    const failed = once(client, 'serverHeartbeatFailed');
    server().monitor.requestCheck();
    await failed;
    await expect(db.users.findOne({}).lean()).resolves.toBeNull();
  });
});
