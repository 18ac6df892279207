import mongoose from 'mongoose';
import type { Db } from '../../../src/models/db.ts';

const { EJSON } = mongoose.mongo.BSON;

export interface RecordedCommand {
  command: Record<string, unknown>;
  /** Positions of the commands that had been answered when this one was sent. */
  after: number[];
}

const connectionMembers = ['$db', '$clusterTime', '$readPreference', 'lsid', 'txnNumber', 'apiVersion'];

/** The commands of the graph's collections that a run sends; `db` is connected with `monitorCommands=true`. */
export async function recordCommands(db: Db, run: () => Promise<unknown>): Promise<RecordedCommand[]> {
  const client = db.users.db.getClient();
  const recorded: RecordedCommand[] = [];
  const positions = new Map<number, number>();
  const answered: number[] = [];
  const own = [db.campaigns, db.adSets, db.ads, db.accounts, db.profiles].map(({ collection }) => collection.name);
  const onStart = ({ commandName, command, requestId }: Started): void => {
    if (!own.includes(String(command[commandName]))) return;
    const kept = Object.entries(command).filter(([name]) => !connectionMembers.includes(name));
    positions.set(requestId, recorded.length);
    recorded.push({ command: Object.fromEntries(kept), after: [...answered] });
  };
  const onEnd = ({ requestId }: { requestId: number }): void => {
    const position = positions.get(requestId);
    if (position !== undefined) answered.push(position);
  };
  client.on('commandStarted', onStart).on('commandSucceeded', onEnd);
  await run();
  client.off('commandStarted', onStart).off('commandSucceeded', onEnd);
  return recorded;
}

interface Started {
  commandName: string;
  command: Record<string, unknown>;
  requestId: number;
}

export const toText = (commands: RecordedCommand[]): string => EJSON.stringify(commands);
export const fromText = (text: string): RecordedCommand[] => EJSON.parse(text) as RecordedCommand[];
