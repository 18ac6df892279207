import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Sends the bytes as they are and reads until the other side closes or has sent one whole answer. */
export function sendRaw(port: number, bytes: string, host = '127.0.0.1'): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(bytes, 'latin1'));
    let text = '';
    let isInHead = true;
    let whole = Number.POSITIVE_INFINITY;
    const finish = (): void => {
      socket.destroy();
      resolve(parse(text));
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      // To look at a large text after each chunk takes longer than to send it.
      const wasInHead = isInHead;
      text += chunk;
      isInHead = wasInHead && !text.includes('\r\n\r\n');
      if (wasInHead && !isInHead) whole = lengthOf(text);
      if (text.length >= whole) finish();
    });
    socket.on('end', finish);
    socket.on('error', reject);
  });
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => [header.slice(0, header.indexOf(':')).toLowerCase(), header.slice(header.indexOf(':') + 2)]),
  );
  const body = rest.join('\r\n\r\n');
  const isChunked = headers['transfer-encoding'] === 'chunked';
  return { status: Number(line.split(' ')[1]), headers, text: isChunked ? joinChunks(body) : body };
}

function joinChunks(body: string): string {
  const end = body.indexOf('\r\n');
  const size = Number.parseInt(body.slice(0, end), 16);
  return size > 0 ? body.slice(end + 2, end + 2 + size) + joinChunks(body.slice(end + 4 + size)) : '';
}

/** How long the answer will be, where its head says so. */
function lengthOf(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n');
  const [, length] = /^content-length: *(\d+)/im.exec(text.slice(0, headEnd)) ?? [];
  return length === undefined ? Number.POSITIVE_INFINITY : headEnd + 4 + Number(length);
}

/** A request line and headers; `Host: localhost` unless another is given, none for null. */
export const rawRequest = (target: string, headers: Record<string, string | null> = {}, method = 'GET'): string => {
  const lines = Object.entries({ Host: 'localhost', Connection: 'close', ...headers })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
};
