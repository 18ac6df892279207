import { request, type Dispatcher } from 'undici';
import { EgressError } from './egress-error.ts';

/** An error of the consumer of the file, not of the download. */
export class SinkError extends Error {
  override readonly name = 'SinkError';
}

export interface DownloadOptions {
  maxBytes: number;
  /** For the whole download. */
  timeoutMs: number;
  /** Called before the body is read, with its Content-Length, or `maxBytes` if there is none. */
  onStart?: (bytes: number) => Promise<void>;
  /** Receives each chunk; the next one is read after it resolves. Returning false ends the download early. */
  onChunk: (chunk: Buffer) => unknown;
}

export interface Downloaded {
  contentType: string;
}

/** Downloads a file in chunks. Fails if it exceeds the limit or the status is not 200; does not follow redirects. */
export async function download(url: string, options: DownloadOptions, dispatcher: Dispatcher): Promise<Downloaded> {
  const { maxBytes, timeoutMs, onStart } = options;
  const response = await request(url, { dispatcher, signal: AbortSignal.timeout(timeoutMs) });
  const { body, headers, statusCode } = response;
  const refuse = (errorClass: 'http_error' | 'too_large'): never => {
    // A truncated body emits an 'error' event; without a listener it would end the process.
    body.on('error', () => undefined).destroy();
    throw new EgressError(errorClass);
  };
  if (statusCode !== 200) refuse('http_error');
  const declared = Number(headers['content-length'] ?? Number.NaN);
  if (declared > maxBytes) refuse('too_large');
  try {
    await intoSink(() => onStart?.(Number.isNaN(declared) ? maxBytes : declared));
    await readChunks(body, options);
  } finally {
    body.on('error', () => undefined).destroy();
  }
  return { contentType: String(headers['content-type'] ?? '') };
}

async function readChunks(body: AsyncIterable<Buffer>, { maxBytes, onChunk }: DownloadOptions): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new EgressError('too_large');
    if ((await intoSink(() => onChunk(chunk))) === false) return;
  }
}

async function intoSink<T>(take: () => T): Promise<Awaited<T>> {
  try {
    return await take();
  } catch (error) {
    throw new SinkError('the file could not be stored', { cause: error });
  }
}
