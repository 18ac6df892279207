import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createFolder } from './create-folder.ts';
import { frameOf, headSize, recordsOf, type JournalRecord } from './frames.ts';
import { lockFolder } from './lock.ts';

const magic = Buffer.from('LOCALST1');
/** Followed by an empty frame, so that a file with only the magic is known to have lost data. */
const start = Buffer.concat([magic, frameOf([])]);
const sliceSize = 1 << 20;
const flushEveryMs = 100;
const compactAbove = 8 * 1024 * 1024;

function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

/** Append-only file of frames. A frame holds all changes of one command, so replay is atomic. */
export class Journal {
  readonly #folder: string;
  readonly #file: string;
  readonly #unlock: () => void;
  readonly #timer: NodeJS.Timeout;
  #fd = -1;
  #size = 0;
  /** Size after the last compaction: the next one waits until the file has doubled. */
  #compacted = 0;
  #isDirty = false;
  /** The background flush to disk. */
  #flushing: Promise<void> | undefined;
  #meanwhile: Buffer[] | undefined;
  /** The failure that blocks appends until the state is rewritten. */
  failure: Error | undefined;

  constructor(folder: string) {
    createFolder(folder);
    this.#folder = folder;
    this.#file = join(folder, 'data.journal');
    this.#unlock = lockFolder(folder);
    this.#timer = setInterval(() => this.#flushInBackground(), flushEveryMs);
    this.#timer.unref();
  }

  /** Replays the journal. A truncated last frame is dropped; earlier corruption stops the start. */
  open(apply: (record: JournalRecord) => void): void {
    rmSync(`${this.#file}.new`, { force: true });
    if (!existsSync(this.#file)) this.#create();
    this.#fd = openSync(this.#file, 'r+');
    const total = statSync(this.#file).size;
    // A new journal is never shorter, so a shorter file has lost data.
    if (total < magic.length) throw this.#unreadable('is empty');
    if (!this.#read(0, magic.length).equals(magic)) throw this.#unreadable('is not a journal of the local store');
    let at = magic.length;
    for (let body = this.#frameAt(at, total); body; body = this.#frameAt(at, total)) {
      for (const record of recordsOf(body)) apply(record);
      at += headSize + body.length;
    }
    if (at === magic.length) throw this.#unreadable('is empty');
    if (at < total) ftruncateSync(this.#fd, at);
    fsyncSync(this.#fd);
    this.#size = at;
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(this.#fd, bytes, 0, length, at));
  }

  /** The body of the frame at an offset; undefined at the end or at a truncated tail. */
  #frameAt(at: number, total: number): Buffer | undefined {
    const head = this.#read(at, headSize);
    if (head.length < headSize) return undefined;
    const length = head.readUInt32LE(0);
    const isSound = ~length === head.readInt32LE(4);
    const end = at + headSize + length;
    if (isSound && end > total) return undefined;
    const body = isSound ? this.#read(at + headSize, length) : undefined;
    if (body && crc32(body) === head.readUInt32LE(8)) return body;
    if (this.#isZero(isSound ? end : at, total)) return undefined;
    throw this.#unreadable(`is damaged at offset ${at}`);
  }

  #unreadable(how: string): Error {
    return new Error(
      `${this.#file} ${how}. Restore it from a backup, or start without its data: move the file away, or set DATA_DIR to another folder.`,
    );
  }

  /** Renamed into place when complete, so an empty file always means lost data. */
  #create(): void {
    const fd = openSync(`${this.#file}.new`, 'w', 0o600);
    writeAll(fd, start, 0);
    fsyncSync(fd);
    closeSync(fd);
    renameSync(`${this.#file}.new`, this.#file);
    syncFolder(this.#folder);
  }

  /** Whether only zero bytes follow, as when a file grew but its data was never flushed. */
  #isZero(from: number, to: number): boolean {
    for (let at = from; at < to; at += sliceSize) {
      if (this.#read(at, Math.min(sliceSize, to - at)).some((byte) => byte !== 0)) return false;
    }
    return true;
  }

  append(records: JournalRecord[], isUrgent: boolean): void {
    const frame = frameOf(records);
    this.#try(() => {
      writeAll(this.#fd, frame, this.#size);
      this.#isDirty = true;
      if (isUrgent) this.flush();
      this.#size += frame.length;
      this.#meanwhile?.push(frame);
    });
    if (this.failure) throw this.failure;
  }

  flush(): void {
    if (!this.#isDirty || this.#fd < 0) return;
    this.#isDirty = false;
    fdatasyncSync(this.#fd);
  }

  /** Commands proceed during a flush; their changes are part of the next one. */
  #flushInBackground(): void {
    const fd = this.#fd;
    if (!this.#isDirty || this.#flushing || this.failure || fd < 0) return;
    this.#isDirty = false;
    this.#flushing = new Promise((resolve) => {
      fdatasync(fd, (error) => {
        this.#flushing = undefined;
        // Closing flushes again, so an earlier error is irrelevant.
        if (error && fd === this.#fd) this.failure = error;
        resolve();
      });
    });
  }

  /** After a failed write the file's end is unknown, so nothing may be appended. */
  #try(write: () => void): void {
    if (this.failure) return;
    try {
      write();
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  get isCompacting(): boolean {
    return this.#meanwhile !== undefined;
  }

  get wantsCompaction(): boolean {
    return !this.isCompacting && !this.failure && this.#size > compactAbove && this.#size > 2 * this.#compacted;
  }

  /** Rewrites the journal from the current state in slices; concurrent changes are appended. */
  async compact(state: Iterable<JournalRecord>): Promise<void> {
    const name = `${this.#file}.new`;
    const meanwhile: Buffer[] = [];
    this.#meanwhile = meanwhile;
    this.#compacted = this.#size;
    let fd = -1;
    try {
      fd = openSync(name, 'w', 0o600);
      const size = await writeState(fd, state);
      await this.#flushing;
      const tail = Buffer.concat(meanwhile);
      writeAll(fd, tail, size);
      fsyncSync(fd);
      renameSync(name, this.#file);
      [fd, this.#fd] = [this.#fd, fd];
      this.#size = size + tail.length;
      this.#compacted = size;
      syncFolder(this.#folder);
      this.failure = undefined;
    } catch {
      // Nothing is lost: the current file stays, and compaction is retried later.
      rmSync(name, { force: true });
    } finally {
      this.#meanwhile = undefined;
      if (fd >= 0) closeSync(fd);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#isDirty ||= this.#flushing !== undefined;
    this.#try(() => this.flush());
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
    this.#unlock();
  }
}

/** Writes records in frames of about one slice, yielding in between; returns the size. */
async function writeState(fd: number, state: Iterable<JournalRecord>): Promise<number> {
  let at = 0;
  const write = (bytes: Buffer): void => {
    writeAll(fd, bytes, at);
    at += bytes.length;
  };
  write(start);
  let batch: JournalRecord[] = [];
  let bytes = 0;
  for (const record of state) {
    batch.push(record);
    bytes += record.raw.length;
    if (bytes < sliceSize) continue;
    write(frameOf(batch));
    [batch, bytes] = [[], 0];
    await new Promise(setImmediate);
  }
  if (batch.length) write(frameOf(batch));
  return at;
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
