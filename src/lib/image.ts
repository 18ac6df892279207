import { imageSize } from 'image-size';

export interface ImageFacts {
  format: 'png' | 'gif' | 'jpeg';
  width: number;
  height: number;
}

const formats: Record<string, ImageFacts['format']> = { png: 'png', gif: 'gif', jpg: 'jpeg' };

/** Format and size of an image from its bytes; undefined if it is not a PNG, GIF or JPEG. */
export function readImage(bytes: Buffer): ImageFacts | undefined {
  try {
    const { type = '', width, height } = imageSize(bytes);
    const format = formats[type];
    return format && width > 0 && height > 0 ? { format, width, height } : undefined;
  } catch {
    return undefined;
  }
}
