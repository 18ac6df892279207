import { readImage } from '../../lib/image.ts';
import { PlatformError } from '../error.ts';
import { fetchMedia, mediaRefused } from '../media.ts';
import { patiently } from '../timing.ts';
import type { Cascade } from './create-ads.ts';
import { urnIn } from './restli.ts';
import { ImageUpload, MediaStatus, VideoUpload } from './wire.ts';

const largestImage = 8_000_000;
const largestVideo = 500_000_000;
const patienceMs = 120_000;

/** Takes the picture or the film over: fetched, uploaded, and waited for until the platform can show it. */
export async function uploadMedia(cascade: Cascade, owner: string): Promise<string> {
  const { client, access, order, journal } = cascade;
  const kind = order.input.video ? 'videos' : 'images';
  // A dry run sends nothing, but tells what a real one would say of the file.
  if (journal.dryRun) await (kind === 'videos' ? videoBytes(cascade) : imageBytes(cascade));
  const request = { initializeUploadRequest: { owner } };
  const upload = (): Promise<string> => (kind === 'videos' ? uploadVideo(cascade, owner) : uploadImage(cascade, owner));
  const urn = await journal.run({
    name: `${kind === 'videos' ? 'video' : 'image'}.0`,
    request: client.show(`${kind}?action=initializeUpload`, request),
    send: upload,
    // Media spend nothing: when in doubt they are uploaded again.
    again: upload,
  });
  if (journal.dryRun) return urn;
  const state = await patiently(async () => {
    const { status } = await client.read(access, `${kind}/${urnIn(urn)}`, MediaStatus);
    return status === 'AVAILABLE' || status === 'PROCESSING_FAILED' ? status : undefined;
  }, patienceMs);
  if (state === 'AVAILABLE') return urn;
  if (state === undefined) {
    throw new PlatformError('F', 'unavailable', 'The platform is still working on the media; repeat the call to go on');
  }
  const field = kind === 'videos' ? 'video.url' : 'imageUrl';
  throw new PlatformError('F', 'rejected', 'The platform cannot use the media', {
    fields: { [field]: ['cannot be used by the platform'] },
  });
}

async function imageBytes({ order, media }: Cascade): Promise<Buffer> {
  const [field, url] = ['imageUrl', order.input.imageUrl ?? ''];
  const bytes = await fetchMedia(media, { platform: 'F', field, url, maxBytes: largestImage });
  if (!readImage(bytes)) throw mediaRefused('F', field, 'must be a PNG, JPEG or GIF');
  return bytes;
}

async function videoBytes({ order, media }: Cascade): Promise<Buffer> {
  const [field, url] = ['video.url', order.input.video?.url ?? ''];
  const bytes = await fetchMedia(media, { platform: 'F', field, url, maxBytes: largestVideo });
  if (bytes.subarray(4, 8).toString('latin1') !== 'ftyp') throw mediaRefused('F', field, 'must be an MP4');
  return bytes;
}

async function uploadImage(cascade: Cascade, owner: string): Promise<string> {
  const { client, access } = cascade;
  const bytes = await imageBytes(cascade);
  const fields = { initializeUploadRequest: { owner } };
  const { value } = await client.ask(access, 'images?action=initializeUpload', { schema: ImageUpload, fields });
  await client.put(access, value.uploadUrl, { bytes });
  return value.image;
}

async function uploadVideo(cascade: Cascade, owner: string): Promise<string> {
  const { client, access } = cascade;
  const bytes = await videoBytes(cascade);
  const begin = {
    initializeUploadRequest: { owner, fileSizeBytes: bytes.length, uploadCaptions: false, uploadThumbnail: false },
  };
  const { value } = await client.ask(access, 'videos?action=initializeUpload', { schema: VideoUpload, fields: begin });
  const uploadedPartIds: string[] = [];
  for (const { uploadUrl, firstByte, lastByte } of value.uploadInstructions) {
    const { etag } = await client.put(access, uploadUrl, { bytes: bytes.subarray(firstByte, lastByte + 1) });
    uploadedPartIds.push(etag ?? '');
  }
  const { video, uploadToken } = value;
  const end = { finalizeUploadRequest: { video, uploadToken, uploadedPartIds } };
  await client.tell(access, 'videos?action=finalizeUpload', end).catch(async (error: unknown) => {
    const isLost = error instanceof PlatformError && error.fault === 'unknown_outcome';
    if (!isLost || !(await wasHeard(cascade, video))) throw error;
  });
  return video;
}

/** A film that still waits for its parts would wait for good: then it is uploaded anew. */
const wasHeard = ({ client, access }: Cascade, video: string): Promise<boolean> =>
  client.read(access, `videos/${urnIn(video)}`, MediaStatus).then(
    ({ status }) => status !== 'WAITING_UPLOAD',
    () => false,
  );
