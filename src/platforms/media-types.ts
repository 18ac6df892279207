import { fileTypeFromBuffer } from 'file-type';

export interface MediaTypes {
  /** Name in error messages. */
  name: string;
  accepted: string[];
}

export const mp4: MediaTypes = { name: 'an MP4 video', accepted: ['video/mp4'] };
export const videos: MediaTypes = {
  name: 'an MP4, MOV, MPEG, 3GP or AVI video',
  accepted: ['video/mp4', 'video/quicktime', 'video/mpeg', 'video/3gpp', 'video/vnd.avi'],
};
export const images: MediaTypes = { name: 'a JPEG or PNG image', accepted: ['image/jpeg', 'image/png'] };
export const anyImage: MediaTypes = {
  name: 'a JPEG, PNG, GIF, WebP, BMP or TIFF image',
  accepted: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/bmp', 'image/tiff'],
};

/** Detects the media type of a file from its first bytes; its name and headers are ignored. */
export async function typeOf(head: Uint8Array): Promise<string | undefined> {
  return (await fileTypeFromBuffer(head).catch(() => undefined))?.mime;
}

export const wrongType = ({ name }: MediaTypes, found: string | undefined): string =>
  `must be ${name}; the file is ${found ?? 'of an unknown type'}`;
