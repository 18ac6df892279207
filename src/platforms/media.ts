import { PlatformError } from './error.ts';
import { typeOf, wrongType, type MediaTypes } from './media-types.ts';

/** Downloads media from callers' URLs. Throws a MediaError if a file cannot be downloaded or exceeds `maxBytes`. */
export interface MediaSource {
  /** Downloads a small file into memory; `release` returns its bytes to the process limit. */
  fetch: (url: string, maxBytes: number) => Promise<Media>;
  /** Downloads a large file to disk, where it stays until closed. */
  spool: (url: string, maxBytes: number) => Promise<SpooledMedia>;
  /** Downloads the first bytes of a file, enough to detect its type. */
  peek: (url: string) => Promise<Buffer>;
}

export interface Media {
  bytes: Buffer;
  release: () => void;
}

export interface SpooledMedia {
  size: number;
  /** Bytes `first` to `last`, both included, valid until the next read. */
  read: (first: number, last: number) => Promise<Buffer>;
  close: () => Promise<void>;
}

/** A failed download; the message may be shown to the caller. */
export class MediaError extends Error {
  override readonly name: string = 'MediaError';
}

/** The file may be valid, but cannot be taken now: too many downloads are in progress, or it cannot be stored. */
export class MediaBusyError extends MediaError {
  override readonly name = 'MediaBusyError';
}

export interface MediaField {
  platform: string;
  /** The caller's field. */
  field: string;
  url: string;
}

/** Runs a media operation; a failed download becomes a validation error of the field. */
export async function forField<T>({ platform, field }: MediaField, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof MediaBusyError) {
      throw new PlatformError(platform, 'unavailable', `${field} ${error.message}`, {}, { cause: error });
    }
    if (error instanceof MediaError) throw mediaRefused(platform, field, error.message, error);
    throw error;
  }
}

export const mediaRefused = (platform: string, field: string, message: string, cause?: unknown): PlatformError =>
  new PlatformError(platform, 'rejected', `${field} ${message}`, { fields: { [field]: [message] } }, { cause });

/** Checks that a URL can be downloaded and has a supported type, before the platform is asked to download it. */
export async function requireMedia(media: MediaSource, requested: MediaField & { types: MediaTypes }): Promise<void> {
  const { platform, field, url, types } = requested;
  const found = await typeOf(await forField(requested, () => media.peek(url)));
  if (!found || !types.accepted.includes(found)) throw mediaRefused(platform, field, wrongType(types, found));
}
