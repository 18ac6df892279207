import type { Batch, Cursors } from './cursors.ts';
import type { Engine } from './engine.ts';
import { badValue, CommandError, notSupported } from './errors.ts';
import { evaluate, type Variables } from './expressions/compile.ts';
import { decode, isPlain, num, type Doc, type Value } from './values.ts';

/** One command as it came, and what it works on. */
export interface Call {
  command: Doc;
  engine: Engine;
  cursors: Cursors;
  database: string;
  sequences: Map<string, Uint8Array[]>;
  connection: number;
  address: string;
}
/** Runs a command; the answer is a document or a batch of a cursor. */
export type Handler = (call: Call) => Doc | Batch;

/** The namespace that the command's first field names. */
export function namespaceOf({ command, database }: Call): string {
  const [name] = Object.values<Value>(command);
  if (typeof name !== 'string' || !name)
    throw new CommandError('InvalidNamespace', 'the collection name must be a string');
  return `${database}.${name}`;
}

export interface Item {
  doc: Doc;
  raw?: Uint8Array;
}
/** The list of a write command, whether it came in the command or beside it. */
export function listOf({ command, sequences }: Call, field: string): Item[] {
  const beside = sequences.get(field);
  if (beside) return beside.map((raw) => ({ doc: decode(raw), raw }));
  if (Array.isArray(command[field])) return command[field].map((doc) => ({ doc }));
  throw new CommandError(40414, `BSON field '${field}' is missing but a required field`);
}

export function filterOf(filter: Value): Doc {
  if (filter == null) return {};
  if (isPlain(filter)) return filter;
  throw new CommandError('TypeMismatch', 'Expected field filter to be of type object');
}

export const variablesOf = (spec: Doc | undefined): Variables =>
  Object.fromEntries(Object.entries(spec ?? {}).map(([name, source]) => [name, evaluate(source, {})]));

export function batchSizeOf({ command }: Call): number | undefined {
  const size = command.cursor?.batchSize ?? command.batchSize;
  if (size === undefined) return undefined;
  if (num(size) < 0) throw badValue('batchSize must be non-negative');
  return num(size);
}

/** Refuses by name what one could expect of a database but this one lacks. */
export function refuseUnsupported(command: Doc): void {
  if (command.startTransaction || command.autocommit === false) throw notSupported('startTransaction');
  if (command.tailable) throw notSupported('a tailable cursor');
  if (command.readConcern?.level === 'snapshot') throw notSupported('readConcern snapshot');
  refuseCollation(command);
}

export function refuseCollation({ collation }: Doc): void {
  if (collation?.locale && collation.locale !== 'simple') throw notSupported('collation');
}
