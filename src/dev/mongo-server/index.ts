import { chooseSocketPath, forgetSocketPath, prepareSocket, socketUri } from './address.ts';
import { Engine } from './engine.ts';
import { listen } from './server.ts';

export { storeUri } from './address.ts';

export interface StoreOptions {
  /** Directory of the journal; memory only without it. */
  dataDir?: string;
  /** A Unix socket in a directory of mode 0700; by default chosen for the data directory. */
  socketPath?: string;
}
export interface LocalStore {
  uri(database: string): string;
  stop(): Promise<void>;
}

/** Starts a server; without options it is in-memory and listens on a loopback port. */
export async function startStore({ dataDir, socketPath }: StoreOptions = {}): Promise<LocalStore> {
  const engine = new Engine(dataDir);
  try {
    const path = socketPath ?? (dataDir ? chooseSocketPath(dataDir) : undefined);
    if (path) prepareSocket(path);
    const server = await listen(engine, path);
    return {
      uri: (database) =>
        path ? socketUri(path, database) : `mongodb://${server.address}/${database}?directConnection=true`,
      stop: async () => {
        await server.close();
        if (dataDir) forgetSocketPath(dataDir);
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
