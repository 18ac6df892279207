import { request, type Dispatcher } from 'undici';
import { EgressError } from './egress-error.ts';

export interface Download {
  bytes: Buffer;
  contentType: string;
}

const timeoutMs = 60_000;

/** Fetches a whole file; what is larger than the cap, or not answered with 200, is an error. Redirects are not followed. */
export async function download(url: string, maxBytes: number, dispatcher: Dispatcher): Promise<Download> {
  const response = await request(url, { dispatcher, signal: AbortSignal.timeout(timeoutMs) });
  if (response.statusCode !== 200) {
    // A body that is cut off says so in an 'error' event, and one that nobody hears ends the process.
    response.body.on('error', () => undefined).destroy();
    throw new EgressError('http_error');
  }
  return {
    bytes: await readWhole(response, maxBytes),
    contentType: String(response.headers['content-type'] ?? ''),
  };
}

async function readWhole({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      throw new EgressError('too_large');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
