/** Fetches media that callers name, where a platform wants the bytes. */
export interface MediaSource {
  /** Throws a MediaError whose message is fit for the caller. */
  fetch: (url: string, maxBytes: number) => Promise<{ bytes: Buffer; contentType: string }>;
}

export class MediaError extends Error {
  override readonly name = 'MediaError';
}
