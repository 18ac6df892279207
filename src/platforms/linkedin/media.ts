import type { z } from 'zod';
import { readImage } from '../../lib/image.ts';
import { PlatformError } from '../error.ts';
import { forField, mediaRefused, type Media, type SpooledMedia } from '../media.ts';
import { mp4, typeOf, wrongType } from '../media-types.ts';
import { pollUntil } from '../poll.ts';
import type { CreateContext } from './create-ads.ts';
import { urnIn } from './restli.ts';
import { ImageUpload, MediaStatus, VideoUpload } from './wire.ts';

const largestImage = 8_000_000;
const largestVideo = 500_000_000;
/** The platform documents parts of 4 MiB. */
const largestPart = 16 * 1024 * 1024;
const headBytes = 4_100;
const maxWaitMs = 120_000;

/** Downloads an image or video, uploads it and waits until the platform has processed it. */
export async function uploadMedia(cascade: CreateContext, owner: string): Promise<string> {
  const { client, access, order, journal } = cascade;
  const kind = order.input.video ? 'videos' : 'images';
  // A dry run sends nothing, but validates the file.
  if (journal.dryRun) await (kind === 'videos' ? withVideo : withImage)(cascade, async () => undefined);
  const request = { initializeUploadRequest: { owner } };
  const upload = (): Promise<string> => (kind === 'videos' ? uploadVideo(cascade, owner) : uploadImage(cascade, owner));
  const urn = await journal.run({
    name: `${kind === 'videos' ? 'video' : 'image'}.0`,
    request: client.show(`${kind}?action=initializeUpload`, request),
    send: upload,
    // Media cost nothing: after an unknown outcome they are uploaded again.
    again: upload,
  });
  if (journal.dryRun || journal.isSearch) return urn;
  const state = await pollUntil(async () => {
    const { status } = await client.read(access, `${kind}/${urnIn(urn)}`, MediaStatus);
    return status === 'AVAILABLE' || status === 'PROCESSING_FAILED' ? status : undefined;
  }, maxWaitMs);
  if (state === 'AVAILABLE') return urn;
  if (state === undefined) {
    throw new PlatformError('F', 'unavailable', 'The platform is still processing the media; retry to continue');
  }
  const field = kind === 'videos' ? 'video.url' : 'imageUrl';
  throw new PlatformError('F', 'rejected', 'The platform cannot use the media', {
    fields: { [field]: ['cannot be used by the platform'] },
  });
}

/** Downloads an image for `use` and frees it afterwards. */
async function withImage<T>({ order, media }: CreateContext, use: (image: Media) => Promise<T>): Promise<T> {
  const source = { platform: 'F', field: 'imageUrl', url: order.input.imageUrl ?? '' };
  const image = await forField(source, () => media.fetch(source.url, largestImage));
  try {
    if (!readImage(image.bytes)) throw mediaRefused('F', source.field, 'must be a PNG, JPEG or GIF');
    return await use(image);
  } finally {
    image.release();
  }
}

/** Downloads a video file for `use` and removes it afterwards. */
async function withVideo<T>({ order, media }: CreateContext, use: (film: SpooledMedia) => Promise<T>): Promise<T> {
  const source = { platform: 'F', field: 'video.url', url: order.input.video?.url ?? '' };
  const film = await forField(source, () => media.spool(source.url, largestVideo));
  try {
    const type = await typeOf(await film.read(0, headBytes - 1));
    if (!type || !mp4.accepted.includes(type)) throw mediaRefused('F', source.field, wrongType(mp4, type));
    return await use(film);
  } finally {
    await film.close();
  }
}

const uploadImage = (cascade: CreateContext, owner: string): Promise<string> =>
  withImage(cascade, async ({ bytes }) => {
    const { client, access } = cascade;
    const fields = { initializeUploadRequest: { owner } };
    const { value } = await client.ask(access, 'images?action=initializeUpload', { schema: ImageUpload, fields });
    await client.put(access, value.uploadUrl, { bytes });
    return value.image;
  });

const uploadVideo = (cascade: CreateContext, owner: string): Promise<string> =>
  withVideo(cascade, async (film) => {
    const { client, access } = cascade;
    const begin = {
      initializeUploadRequest: { owner, fileSizeBytes: film.size, uploadCaptions: false, uploadThumbnail: false },
    };
    const { value } = await client.ask(access, 'videos?action=initializeUpload', {
      schema: VideoUpload,
      fields: begin,
    });
    const { video, uploadToken, uploadInstructions } = value;
    const uploadedPartIds = await uploadParts(cascade, film, uploadInstructions);
    const end = { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } };
    await client.act(access, 'videos?action=finalizeUpload', end).catch(async (error: unknown) => {
      const isLost = error instanceof PlatformError && error.fault === 'unknown_outcome';
      if (!isLost || !(await isPartReceived(cascade, video))) throw error;
    });
    return video;
  });

/** Uploads one part at a time, so that only one part of each video is in memory. */
async function uploadParts(
  { client, access }: CreateContext,
  film: SpooledMedia,
  instructions: z.infer<typeof VideoUpload>['value']['uploadInstructions'],
): Promise<string[]> {
  const ids: string[] = [];
  for (const { uploadUrl, firstByte, lastByte } of instructions) {
    if (lastByte - firstByte >= largestPart)
      throw new PlatformError('F', 'unavailable', `The platform requested a part of ${lastByte - firstByte + 1} bytes`);
    const { etag } = await client.put(access, uploadUrl, { bytes: await film.read(firstByte, lastByte) });
    ids.push(etag ?? '');
  }
  return ids;
}

/** A video still waiting for its parts would wait forever, so it is uploaded again. */
const isPartReceived = ({ client, access }: CreateContext, video: string): Promise<boolean> =>
  client.read(access, `videos/${urnIn(video)}`, MediaStatus).then(
    ({ status }) => status !== 'WAITING_UPLOAD',
    () => false,
  );
