import type { Batch, Cursors } from './cursors.ts';
import type { Engine } from './engine.ts';
import { badValue, CommandError, notSupported } from './errors.ts';
import { evaluate, type Variables } from './expressions/compile.ts';
import { decode, isPlain, num, type Doc, type Value } from './values.ts';

/** One command and its context. */
export interface Call {
  command: Doc;
  engine: Engine;
  cursors: Cursors;
  database: string;
  sequences: Map<string, Uint8Array[]>;
  connection: number;
  address: string;
}
/** Runs a command; returns a document or a cursor batch. */
export type Handler = (call: Call) => Doc | Batch;

/** The namespace in the command's first field. */
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
/** The documents of a write command, inline or in a document sequence. */
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

/** Rejects unsupported options by name. */
export function rejectUnsupported(command: Doc): void {
  if (command.startTransaction || command.autocommit === false) throw notSupported('startTransaction');
  if (command.tailable) throw notSupported('a tailable cursor');
  if (command.readConcern?.level === 'snapshot') throw notSupported('readConcern snapshot');
  rejectCollation(command);
}

export function rejectCollation({ collation }: Doc): void {
  if (collation?.locale && collation.locale !== 'simple') throw notSupported('collation');
}
