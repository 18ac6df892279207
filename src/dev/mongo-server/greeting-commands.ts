import type { Handler } from './command.ts';
import { largestMessage } from './wire.ts';
import type { Doc } from './values.ts';

/** The emulated server version. */
const version = '8.0.0';
const largestDocument = 16 * 1024 * 1024;

/** Reports a replica set of one member, because drivers retry writes only on a set. */
const hello: Handler = ({ connection, address }) => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  setName: 'local-store',
  setVersion: 1,
  secondary: false,
  hosts: [address],
  primary: address,
  me: address,
  maxBsonObjectSize: largestDocument,
  maxMessageSizeBytes: largestMessage,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  connectionId: connection,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
  ok: 1,
});

const buildInfo: Handler = () => ({
  version,
  versionArray: [8, 0, 0, 0],
  gitVersion: 'local store',
  modules: ['local store'],
  storageEngines: ['local store'],
  bits: 64,
  debug: false,
  maxBsonObjectSize: largestDocument,
  ok: 1,
});

export const sessionId = (lsid: Doc): string => Buffer.from(lsid.id.buffer).toString('hex');

const endSessions: Handler = ({ command, engine }) => {
  for (const lsid of command.endSessions) engine.endSession(sessionId(lsid));
  return { ok: 1 };
};

export const greetingCommands: Record<string, Handler> = {
  hello,
  isMaster: hello,
  buildInfo,
  endSessions,
  ping: ({ engine }) => {
    engine.assertWritable();
    return { ok: 1 };
  },
};
