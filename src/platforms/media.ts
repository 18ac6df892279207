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
