import { MediaError, type MediaSource } from '../../src/platforms/media.ts';

/** Serves these files by their address and nothing else, as the real source does for callers' addresses. */
export function mediaOf(files: Record<string, Buffer>): MediaSource {
  const bytesAt = async (url: string, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> => {
    const bytes = files[url];
    if (!bytes) throw new MediaError(`could not be fetched from ${url}`);
    if (bytes.length > maxBytes) throw new MediaError('cannot be fetched (too_large)');
    return bytes;
  };
  return {
    fetch: async (url, maxBytes) => ({ bytes: await bytesAt(url, maxBytes), release: () => undefined }),
    spool: async (url, maxBytes) => {
      const bytes = await bytesAt(url, maxBytes);
      const read = async (first: number, last: number): Promise<Buffer> => bytes.subarray(first, last + 1);
      return { size: bytes.length, read, close: async () => undefined };
    },
    peek: (url) => bytesAt(url),
  };
}

/** For adapters whose media are not fetched in a test. */
export const noMedia = mediaOf({});
