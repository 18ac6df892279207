import { startTestApp, type TestApp } from './app.ts';
import { monitored, testDatabase } from './db.ts';
import { testRedis } from './redis.ts';
import { openTcpProxy } from './tcp-proxy.ts';

export interface Command {
  commandName: string;
  command: Record<string, unknown> & { updates?: object[] };
}

export interface RoundTrips {
  database: number;
  redis: number;
  commands: Command[];
}

export interface CountedApp {
  app: TestApp;
  /** The commands that the work sends to the database, and how often it writes to Redis. */
  count: (work: () => Promise<void>) => Promise<RoundTrips>;
  stop: () => Promise<void>;
}

const ofDriver = ['hello', 'ping', 'endSessions'];
/** Whether the service sends a command for its work; it pings a database that has been slow. */
export const isWork = (commandName: string): boolean => !ofDriver.includes(commandName);
/** Collections that are read or written by time: the caller's key every few seconds, the entry of the process every twenty. */
const byTime = ['api_keys', 'users', 'encryption_key_holders', 'encryption_keys'];

const isCounted = ({ commandName, command }: Command): boolean =>
  isWork(commandName) && !byTime.includes(String(command[commandName]));

/** An app without workers whose round trips to the database and to Redis are counted. */
export async function startCountedApp(): Promise<CountedApp> {
  const [database, redis] = await Promise.all([testDatabase(), testRedis()]);
  const line = await openTcpProxy(Number(new URL(redis.url).port));
  const REDIS_URL = Object.assign(new URL(redis.url), { port: String(line.port) }).href;
  const MONGODB_URI = monitored(database.uri);
  const app = await startTestApp({ ROLE: 'api', MONGODB_URI, REDIS_URL });
  const sent: Command[] = [];
  const client = app.app.services.db.users.db.getClient();
  client.on('commandStarted', (command: Command) => void sent.push(command));
  return {
    app,
    async count(work) {
      sent.length = 0;
      const before = line.writes();
      await work();
      // What the response does not need is sent after it.
      for (let seen = -1; seen !== sent.length + line.writes();) {
        seen = sent.length + line.writes();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const commands = sent.filter(isCounted);
      return { database: commands.length, redis: line.writes() - before, commands };
    },
    async stop() {
      await app.stop();
      await Promise.all([line.stop(), database.stop(), redis.stop()]);
    },
  };
}
