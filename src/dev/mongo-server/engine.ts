import { Collection } from './collection.ts';
import { CommandError } from './errors.ts';
import { kinds, makeRecord, type JournalRecord } from './frames.ts';
import { normalizeIndex } from './index-spec.ts';
import { Journal } from './journal.ts';
import { decode, num, type Doc, type Value } from './values.ts';

/** The last retryable write of a session and its reply. */
export interface Session {
  number: bigint;
  reply: Doc | undefined;
  usedAt: number;
}
interface Reply {
  session: string;
  number: bigint;
  reply: Doc;
}

const sweepIntervalMs = 60_000;
const recoverEveryMs = 1_000;
const sessionLifetimeMs = 30 * 60_000;

/** All collections and the journal that makes them durable. */
export class Engine {
  readonly #collections = new Map<string, Collection>();
  readonly #sessions = new Map<string, Session>();
  readonly #journal: Journal | undefined;
  readonly #timer: NodeJS.Timeout;
  #pending: JournalRecord[] = [];
  #compaction: Promise<void> | undefined;
  #triedAt = 0;

  constructor(dataDir?: string) {
    if (dataDir) this.#journal = new Journal(dataDir);
    try {
      this.#journal?.open((record) => this.#replay(record));
    } catch (error) {
      this.#journal?.close();
      throw error;
    }
    this.#timer = setInterval(() => this.sweep(Date.now()), sweepIntervalMs);
    this.#timer.unref();
  }

  find(namespace: string): Collection | undefined {
    return this.#collections.get(namespace);
  }

  require(namespace: string): Collection {
    const collection = this.find(namespace);
    if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${namespace}`);
    return collection;
  }

  list(database?: string): Collection[] {
    return [...this.#collections.values()].filter((each) => database === undefined || each.database === database);
  }

  ensure(namespace: string): Collection {
    return this.find(namespace) ?? this.create(namespace);
  }

  create(namespace: string): Collection {
    const name = namespace.slice(namespace.indexOf('.') + 1);
    if (!name || /[$\0]|^\.|^system\./.test(name)) {
      throw new CommandError('InvalidNamespace', `Invalid namespace specified '${namespace}'`);
    }
    if (this.find(namespace)) throw new CommandError('NamespaceExists', `Collection ${namespace} already exists.`);
    this.#record(makeRecord(kinds.create, namespace, {}));
    return this.#add(namespace);
  }

  drop(namespace: string): void {
    if (this.#collections.delete(namespace)) this.#record(makeRecord(kinds.drop, namespace, {}));
  }

  createIndex(collection: Collection, spec: Doc): void {
    const index = collection.createIndex(spec);
    if (index) this.#record(makeRecord(kinds.index, collection.namespace, index.spec));
  }

  dropIndex(collection: Collection, name: string): void {
    collection.dropIndex(name);
    this.#record(makeRecord(kinds.dropIndex, collection.namespace, { name }));
  }

  /** Gives an index another expiry time; returns the one before. */
  expireIndex(collection: Collection, name: string, expireAfterSeconds: Value): Value {
    const spec = collection.requireIndex(name).spec;
    const changed = normalizeIndex({ ...spec, expireAfterSeconds });
    this.dropIndex(collection, name);
    this.createIndex(collection, changed);
    return spec.expireAfterSeconds;
  }

  session(id: string): Session {
    const session = this.#sessions.get(id) ?? { number: -1n, reply: undefined, usedAt: 0 };
    session.usedAt = Date.now();
    this.#sessions.set(id, session);
    return session;
  }

  endSession(id: string): void {
    this.#sessions.delete(id);
  }

  #add(namespace: string): Collection {
    const collection = new Collection(namespace, (change) => {
      if ('put' in change) this.#record({ kind: kinds.put, subject: namespace, raw: change.put.raw });
      else this.#record(makeRecord(kinds.remove, namespace, { _id: change.remove.doc._id }));
    });
    this.#collections.set(namespace, collection);
    return collection;
  }

  #record(record: JournalRecord): void {
    if (this.#journal) this.#pending.push(record);
  }

  #replay({ kind, subject, raw }: JournalRecord): void {
    const doc = decode(raw);
    if (kind === kinds.drop) this.#collections.delete(subject);
    else if (kind === kinds.reply) {
      this.#sessions.set(subject, { number: BigInt(String(doc.number)), reply: doc.reply, usedAt: num(doc.usedAt) });
    } else {
      const collection = this.find(subject) ?? this.#add(subject);
      if (kind === kinds.put) collection.replay(doc, Uint8Array.prototype.slice.call(raw));
      else if (kind === kinds.remove) collection.replay(doc, undefined);
      else if (kind === kinds.index) collection.createIndex(doc);
      else if (kind === kinds.dropIndex) collection.dropIndex(doc.name);
    }
  }

  /** Rejects a write, and a ping, while the journal cannot be written; each call makes the store try again. */
  assertWritable(): void {
    const failure = this.#journal?.failure;
    if (!failure) return;
    this.#recover();
    throw new CommandError(
      'OutOfDiskSpace',
      `The local store cannot write its journal (${failure.message}) and accepts writes again once it can`,
    );
  }

  /** Writes the current state to a new journal, because the end of the failed one is unknown. */
  #recover(): void {
    if (!this.#journal || this.#journal.isCompacting || Date.now() - this.#triedAt < recoverEveryMs) return;
    this.#triedAt = Date.now();
    this.#compaction = this.#journal.compact(this.#state());
  }

  /** Makes the changes of the last command durable, with the reply for a retry. */
  commit(options: { reply?: Reply | undefined; isUrgent?: boolean } = {}): void {
    const records = this.#pending;
    if (!this.#journal || !records.length) return;
    this.#pending = [];
    if (options.reply) {
      const { session, number, reply } = options.reply;
      records.push(replyRecord(session, { number, reply, usedAt: Date.now() }));
    }
    try {
      this.#journal.append(records, options.isUrgent ?? false);
    } catch {
      this.assertWritable();
    }
    if (this.#journal.wantsCompaction) this.#compaction = this.#journal.compact(this.#state());
  }

  /** A snapshot of everything: versions are immutable. */
  #state(): Iterable<JournalRecord> {
    const collections = this.list().map((collection) => ({
      namespace: collection.namespace,
      specs: collection.indexes.slice(1).map(({ spec }) => spec),
      versions: collection.all(),
    }));
    return stateRecords(collections, [...this.#sessions]);
  }

  /** Removes expired documents. */
  sweep(now: number): void {
    if (this.#journal?.failure) return;
    for (const collection of this.#collections.values()) collection.expire(now);
    for (const [id, { usedAt }] of this.#sessions) if (now - usedAt > sessionLifetimeMs) this.#sessions.delete(id);
    this.commit();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#compaction;
    this.#journal?.close();
  }
}

const replyRecord = (id: string, { number, reply, usedAt }: Session): JournalRecord =>
  makeRecord(kinds.reply, id, { number, reply, usedAt });

interface FrozenCollection {
  namespace: string;
  specs: Doc[];
  versions: { raw: Uint8Array }[];
}

function* stateRecords(collections: FrozenCollection[], sessions: [string, Session][]): Generator<JournalRecord> {
  for (const { namespace, specs, versions } of collections) {
    yield makeRecord(kinds.create, namespace, {});
    for (const spec of specs) yield makeRecord(kinds.index, namespace, spec);
    for (const { raw } of versions) yield { kind: kinds.put, subject: namespace, raw };
  }
  for (const [id, session] of sessions) if (session.reply) yield replyRecord(id, session);
}
