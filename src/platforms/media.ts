import { PlatformError } from './error.ts';

/** Downloads what callers name by address, for platforms that take bytes only. */
export interface MediaSource {
  /** Throws a MediaError for what cannot be had or is larger than `maxBytes`. */
  fetch: (url: string, maxBytes: number) => Promise<Media>;
}

export interface Media {
  bytes: Buffer;
  contentType: string;
}

/** Why a file could not be had; the message is fit for the caller. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
}

export interface WantedMedia {
  platform: string;
  /** Where the caller wrote the address. */
  field: string;
  url: string;
  maxBytes: number;
}

/** Fetches a file that a caller named; what cannot be had is a refusal of the field that names it. */
export async function fetchMedia(media: MediaSource, { platform, field, url, maxBytes }: WantedMedia): Promise<Buffer> {
  try {
    return (await media.fetch(url, maxBytes)).bytes;
  } catch (error) {
    if (error instanceof MediaError) throw mediaRefused(platform, field, error.message, error);
    throw error;
  }
}

export const mediaRefused = (platform: string, field: string, message: string, cause?: unknown): PlatformError =>
  new PlatformError(platform, 'rejected', `${field} ${message}`, { fields: { [field]: [message] } }, { cause });
