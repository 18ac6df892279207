import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from './id.ts';

/** A file on disk that only this process can access. */
export interface SpooledFile {
  readonly size: number;
  append: (chunk: Uint8Array) => Promise<void>;
  /** Bytes `first` to `last`, both included. They are valid until the next read, which reuses their memory. */
  read: (first: number, last: number) => Promise<Buffer>;
  close: () => Promise<void>;
}

export interface Spool {
  create: () => Promise<SpooledFile>;
}

const nameForm = /^upload-[0-9a-f]{24}$/;

/**
 * A folder for files too large for memory. Each is unlinked as soon as it is open, so that the system frees its space
 * when the process ends. Removes only its own files of a crash, because the folder may be shared.
 */
export function createSpool(folder: string): Spool {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (nameForm.test(name)) rmSync(join(folder, name), { force: true });
  return {
    async create() {
      const path = join(folder, `upload-${newId()}`);
      const file = await open(path, 'wx+', 0o600);
      await rm(path, { force: true });
      let size = 0;
      let memory = Buffer.alloc(0);
      return {
        get size() {
          return size;
        },
        async append(chunk) {
          let done = 0;
          while (done < chunk.length)
            done += (await file.write(chunk, done, chunk.length - done, size + done)).bytesWritten;
          size += chunk.length;
        },
        async read(first, last) {
          const length = Math.max(0, Math.min(last + 1, size) - first);
          if (memory.length < length) memory = Buffer.allocUnsafeSlow(length);
          let done = 0;
          while (done < length) {
            const { bytesRead } = await file.read(memory, done, length - done, first + done);
            if (bytesRead === 0) throw new Error(`the spooled file ends at byte ${first + done} of ${size}`);
            done += bytesRead;
          }
          return memory.subarray(0, length);
        },
        close: () => file.close(),
      };
    },
  };
}
