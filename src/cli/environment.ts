import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { formerNameFault, givenKeys } from '../config/config.ts';
import { readDemo } from '../dev/demo-data.ts';
import { localServices } from '../dev/services.ts';
import { storeUri } from '../dev/mongo-server/address.ts';
import type { World } from './commands.ts';

export interface OpenWorld extends World {
  close: () => Promise<void>;
}

/** The store and the seal of the service that the environment names, or of the one that runs on the data folder. */
export async function openWorld(options: { allowMissing?: boolean } = {}): Promise<OpenWorld> {
  const environment = process.env;
  const dataDir = resolve(environment['DATA_DIR'] || '.data');
  const given = environment['MONGODB_URI'];
  const mongoUri = given || storeUri(join(dataDir, 'store'), 'social');
  if (!given && !(await isListening(mongoUri))) {
    throw new Error(`No service runs on the data folder ${dataDir}: run npm start, or set DATA_DIR or MONGODB_URI.`);
  }
  const services = await localServices(mongoUri, keysOf(environment, dataDir), options);
  return { services, sandboxUrl: () => environment['SANDBOX_URL'] || sandboxOf(dataDir), close: services.close };
}

function keysOf(environment: NodeJS.ProcessEnv, dataDir: string): string {
  const fault = formerNameFault(environment);
  if (fault) throw new Error(fault);
  return givenKeys(environment) ?? storedKeys(dataDir);
}

function storedKeys(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, 'sealing-keys'), 'utf8').trim();
  } catch {
    throw new Error(`ENCRYPTION_KEYS is not set, and ${dataDir} contains no keys: set it to the keys of the service.`);
  }
}

function sandboxOf(dataDir: string): string {
  const url = readDemo(dataDir)?.sandboxUrl;
  if (!url) throw new Error('The address of the sandbox is not known: set SANDBOX_URL.');
  return url;
}

/** Asks the socket itself, because a driver would wait for a server that does not come. */
function isListening(uri: string): Promise<boolean> {
  const path = decodeURIComponent(/^mongodb:\/\/([^/]+)/.exec(uri)?.[1] ?? '');
  return new Promise((done) => {
    const socket = createConnection({ path });
    socket
      .once('error', () => done(false))
      .once('connect', () => {
        socket.destroy();
        done(true);
      });
  });
}
