import { createByteBudget } from '../lib/byte-budget.ts';
import { SinkError } from '../egress/download.ts';
import { EgressError, type Egress } from '../egress/egress.ts';
import type { Spool } from '../lib/spool.ts';
import type { Log } from '../telemetry/log.ts';
import { MediaBusyError, MediaError, type MediaSource } from './media.ts';

export interface MediaSourceOptions {
  egress: Pick<Egress, 'download'>;
  spool: Spool;
  log: Log;
  /** Limit of bytes of large files on disk. */
  spoolBytes: number;
  /** Limit of bytes of small files in memory. */
  memoryBytes: number;
  /** How long a file waits for capacity before the caller is asked to retry. */
  waitMs?: number;
}

const smallFileMs = 60_000;
const largeFileMs = 300_000;
const headBytes = 4_100;

/** Downloads callers' media through the same egress checks as webhooks, within the memory and disk limits of this process. */
export function createMediaSource(options: MediaSourceOptions): MediaSource {
  const { egress, spool, log, waitMs = 30_000 } = options;
  const [disk, memory] = [createByteBudget(options.spoolBytes), createByteBudget(options.memoryBytes)];

  const reserveFrom =
    (budget: typeof disk, hold: (release: () => void) => void) =>
    async (bytes: number): Promise<void> => {
      const release = await budget.reserve(bytes, waitMs);
      if (!release)
        throw new MediaBusyError(
          'cannot be downloaded now, because too many other downloads are in progress; try again later',
        );
      hold(release);
    };

  /** Converts a failure of the disk to an error that asks the caller to retry. */
  const retryLater = async <T>(write: () => Promise<T>): Promise<T> => {
    try {
      return await write();
    } catch (error) {
      log.error({ err: error }, 'could not write to MEDIA_SPOOL_DIR');
      throw new MediaBusyError(
        'cannot be stored now, because the disk of the service is full or fails; try again later',
      );
    }
  };

  return {
    async fetch(url, maxBytes) {
      const chunks: Buffer[] = [];
      let release = (): void => undefined;
      const onStart = reserveFrom(memory, (held) => (release = held));
      const onChunk = (chunk: Buffer): unknown => chunks.push(chunk);
      try {
        await said(egress.download(url, { maxBytes, timeoutMs: smallFileMs, onStart, onChunk }));
        return { bytes: Buffer.concat(chunks), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    async spool(url, maxBytes) {
      const file = await retryLater(spool.create);
      let release = (): void => undefined;
      const close = async (): Promise<void> => {
        await file.close();
        release();
      };
      const onStart = reserveFrom(disk, (held) => (release = held));
      const onChunk = (chunk: Buffer): Promise<void> => retryLater(() => file.append(chunk));
      try {
        await said(egress.download(url, { maxBytes, timeoutMs: largeFileMs, onStart, onChunk }));
        return { size: file.size, read: file.read, close };
      } catch (error) {
        await close();
        throw error;
      }
    },
    async peek(url) {
      let head = Buffer.alloc(0);
      const onChunk = (chunk: Buffer): boolean => {
        head = Buffer.concat([head, chunk]).subarray(0, headBytes);
        return head.length < headBytes;
      };
      const maxBytes = Number.MAX_SAFE_INTEGER;
      await said(egress.download(url, { maxBytes, timeoutMs: smallFileMs, onChunk }));
      return head;
    },
  };
}

/** Converts egress errors to errors for the caller. */
const said = <T>(downloading: Promise<T>): Promise<T> =>
  downloading.catch((error: unknown) => {
    if (error instanceof EgressError) throw new MediaError(`cannot be fetched (${error.errorClass})`);
    throw error instanceof SinkError ? error.cause : error;
  });
