import { MediaError, type MediaSource } from '../../src/platforms/media.ts';

/** Serves these files by their address and nothing else, as the real source does for callers' addresses. */
export function mediaOf(files: Record<string, Buffer>): MediaSource {
  const bytesAt = async (url: string): Promise<Buffer> => {
    const bytes = files[url];
    if (!bytes) throw new MediaError(`could not be fetched from ${url}`);
    return bytes;
  };
  return {
    fetch: async (url) => ({ bytes: await bytesAt(url), release: () => undefined }),
    spool: async (url) => {
      const bytes = await bytesAt(url);
      const read = async (first: number, last: number): Promise<Buffer> => bytes.subarray(first, last + 1);
      return { size: bytes.length, read, close: async () => undefined };
    },
    peek: bytesAt,
  };
}

/** For adapters whose media nobody fetches in a test. */
export const noMedia = mediaOf({});
