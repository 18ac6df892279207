const timeoutMs = 5_000;
const headBytes = 64;

/** Downloads the first bytes of a caller's URL, as a fetching platform would. */
export async function fetchHead(url: string): Promise<Buffer | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok || !response.body) return undefined;
    let head = Buffer.alloc(0);
    for await (const chunk of response.body) {
      head = Buffer.concat([head, chunk]);
      if (head.length >= headBytes) break;
    }
    return head.subarray(0, headBytes);
  } catch {
    return undefined;
  }
}

const isAt = (head: Buffer, offset: number, text: string): boolean =>
  head.subarray(offset, offset + text.length).toString('latin1') === text;

export const isVideoHead = (head: Buffer): boolean =>
  isAt(head, 4, 'ftyp') || isAt(head, 4, 'moov') || isAt(head, 0, '\x00\x00\x01\xba') || isAt(head, 8, 'AVI ');

export const isImageHead = (head: Buffer): boolean => isAt(head, 0, '\x89PNG') || isAt(head, 0, '\xff\xd8\xff');
