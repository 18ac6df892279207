import { crc32, deflateSync } from 'node:zlib';

interface Medium {
  type: string;
  body: Buffer;
}

/** Encoding an image takes about 10 ms. */
function once(make: () => Medium): () => Medium {
  let made: Medium | undefined;
  return () => (made ??= make());
}

/** Sample media that platforms can download without network access. */
export const media = new Map<string, () => Medium>([
  ['landscape.png', once(() => png(1200, 628, [46, 125, 90]))],
  ['square.png', once(() => png(1080, 1080, [58, 96, 170]))],
  ['wide.png', once(() => png(1600, 400, [176, 92, 40]))],
  ['thumbnail.png', once(() => png(640, 360, [90, 60, 130]))],
  ['video.mp4', once(() => ({ type: 'video/mp4', body: mp4() }))],
]);

/** An image with one colour that darkens towards the bottom. */
function png(width: number, height: number, [red = 0, green = 0, blue = 0]: number[]): Medium {
  const rows = Array.from({ length: height }, (_, y) => {
    const shade = 1 - (0.4 * y) / height;
    const pixel = [red, green, blue].map((part) => Math.round(part * shade));
    return Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from(pixel))]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const body = Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return { type: 'image/png', body };
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), typed, uint32(crc32Of(typed))]);
}

const uint32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value >>> 0);
  return buffer;
};

/** zlib.crc32 came with Node 20.15. */
const crc32Of = (data: Buffer): number => crc32(data);

/** The smallest valid mp4 container: type and movie header, no frames. */
function mp4(): Buffer {
  const movieHeader = Buffer.alloc(100);
  movieHeader.writeUInt32BE(1000, 12);
  movieHeader.writeUInt32BE(1000, 16);
  movieHeader.writeUInt32BE(0x00010000, 20);
  movieHeader.writeUInt16BE(0x0100, 24);
  movieHeader.writeUInt32BE(2, 96);
  const type = Buffer.concat([Buffer.from('isom'), uint32(0x200), Buffer.from('isomiso2mp41')]);
  return Buffer.concat([box('ftyp', type), box('moov', box('mvhd', movieHeader)), box('mdat', Buffer.alloc(16))]);
}

const box = (type: string, body: Buffer): Buffer => Buffer.concat([uint32(body.length + 8), Buffer.from(type), body]);
