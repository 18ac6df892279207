import { chooseSocketPath, forgetSocketPath, prepareSocket, socketUri } from './address.ts';
import { Engine } from './engine.ts';
import { listen } from './server.ts';

export { storeUri } from './address.ts';

export interface StoreOptions {
  /** Folder of the journal; without one everything lives in memory. */
  dataDir?: string;
  /** A unix socket, in a folder of mode 0700; by default one is chosen for the data folder. */
  socketPath?: string;
}
export interface LocalStore {
  uri(database: string): string;
  stop(): Promise<void>;
}

/** Starts a store; without options it lives in memory and listens on a loopback port. */
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
