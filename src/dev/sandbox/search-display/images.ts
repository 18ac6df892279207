export interface Picture {
  width: number;
  height: number;
  mimeType: 'IMAGE_PNG' | 'IMAGE_GIF' | 'IMAGE_JPEG';
}

/** Size and type from the image header; undefined for unsupported types. */
export function lookAt(bytes: Buffer): Picture | undefined {
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) {
    return { mimeType: 'IMAGE_PNG', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) {
    return { mimeType: 'IMAGE_GIF', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? jpeg(bytes) : undefined;
}

/** Reads the size from the first frame header. */
function jpeg(bytes: Buffer): Picture | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { mimeType: 'IMAGE_JPEG', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
