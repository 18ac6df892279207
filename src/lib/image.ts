export interface ImageFacts {
  format: 'png' | 'gif' | 'jpeg';
  width: number;
  height: number;
}

/** Format and size of a picture by its first bytes; undefined for what is no PNG, GIF or JPEG. */
export function readImage(bytes: Buffer): ImageFacts | undefined {
  const facts = readPng(bytes) ?? readGif(bytes) ?? readJpeg(bytes);
  return facts && facts.width > 0 && facts.height > 0 ? facts : undefined;
}

const pngStart = Buffer.from('89504e470d0a1a0a', 'hex');

function readPng(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(pngStart)) return undefined;
  return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined;
  return { format: 'gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Start-of-frame markers hold the size; three markers of that range mean something else. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Markers without a body. */
const standsAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

function readJpeg(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (isFrame(marker))
      return { format: 'jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    // A marker may be led in by more bytes of padding.
    if (marker === 0xff) at += 1;
    else at += standsAlone(marker) ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
