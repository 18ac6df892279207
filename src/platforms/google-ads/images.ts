import type { CreateAdInput } from '../../contract/ad-input.ts';
import { readImage } from '../../lib/image.ts';
import type { PlatformError } from '../error.ts';
import { forField, mediaRefused, type MediaSource } from '../media.ts';
import { channelOf } from './goals.ts';

export interface ImagePart {
  kind: 'landscape' | 'square';
  /** The caller's field. */
  field: 'images.landscape' | 'images.square' | 'imageUrl';
  url: string;
}

/** Base64 bytes of each image, or a placeholder in a dry run. */
export type ImageData = Partial<Record<ImagePart['kind'], string>>;

const maxBytes = 5 * 1024 * 1024;
const shapes = {
  landscape: { ratio: 1.91, name: '1.91:1', minWidth: 600, minHeight: 314 },
  square: { ratio: 1, name: '1:1', minWidth: 300, minHeight: 300 },
};
const tolerance = 0.01;

/** The marketing images of a display ad. */
export function imagesOf(input: CreateAdInput): ImagePart[] {
  if (channelOf(input) === 'SEARCH') return [];
  const { images, imageUrl } = input;
  const landscape: ImagePart | undefined = images?.landscape
    ? { kind: 'landscape', field: 'images.landscape', url: images.landscape }
    : imageUrl
      ? { kind: 'landscape', field: 'imageUrl', url: imageUrl }
      : undefined;
  const square: ImagePart | undefined = images?.square
    ? { kind: 'square', field: 'images.square', url: images.square }
    : undefined;
  if (!landscape) throw refused('images.landscape', 'is required for a display ad');
  if (!square) throw refused('images.square', 'is required for a display ad');
  return [landscape, square];
}

export const shownImages = (parts: ImagePart[]): ImageData =>
  Object.fromEntries(parts.map(({ kind, url }) => [kind, `<bytes of ${url}>`]));

/** Downloads the images, rejects what the platform would reject with a vague error, and frees them after `use`. */
export async function withImages<T>(
  media: MediaSource,
  parts: ImagePart[],
  use: (images: ImageData) => Promise<T>,
): Promise<T> {
  const files = await Promise.allSettled(
    parts.map((part) => forField({ ...part, platform: 'B' }, () => media.fetch(part.url, maxBytes))),
  );
  const held = files.flatMap((file) => (file.status === 'fulfilled' ? [file.value] : []));
  try {
    const failed = files.find((file) => file.status === 'rejected');
    if (failed) throw failed.reason;
    return await use(
      Object.fromEntries(parts.map((part, at) => [part.kind, checked(part, held[at]?.bytes ?? Buffer.alloc(0))])),
    );
  } finally {
    for (const { release } of held) release();
  }
}

/** As base64. */
function checked({ kind, field }: ImagePart, bytes: Buffer): string {
  const facts = readImage(bytes);
  if (!facts) throw refused(field, 'must be a PNG, JPEG or GIF');
  const { ratio, name, minWidth, minHeight } = shapes[kind];
  const { width, height } = facts;
  if (Math.abs(width / height / ratio - 1) > tolerance) {
    throw refused(field, `must have the ratio ${name} within 1 %; it is ${width}x${height}`);
  }
  if (width < minWidth || height < minHeight) {
    throw refused(field, `must be at least ${minWidth}x${minHeight}; it is ${width}x${height}`);
  }
  return bytes.toString('base64');
}

const refused = (field: string, message: string): PlatformError => mediaRefused('B', field, message);
