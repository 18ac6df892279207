import { PlatformError } from '../error.ts';
import { requireMedia } from '../media.ts';
import { images, videos } from '../media-types.ts';
import { pollUntil } from '../poll.ts';
import type { CreateContext } from './create-ads.ts';
import { fileName, ImageUploaded, VideoInfo, VideoUploaded } from './wire.ts';

const timeoutFactor = 6;
const coverTimeoutMs = 60_000;

export interface Clip {
  videoId: string;
  coverId: string;
}

/** The platform downloads from URLs and rejects late and vaguely, so video and cover are checked first. */
export async function requireClip({ media, order }: CreateContext): Promise<void> {
  const { video, imageUrl } = order.input;
  const film = video ? { field: 'video.url', url: video.url } : { field: 'imageUrl', url: imageUrl ?? '' };
  await requireMedia(media, { platform: 'D', ...film, types: videos });
  if (!video?.thumbnailUrl) return;
  await requireMedia(media, { platform: 'D', field: 'video.thumbnailUrl', url: video.thumbnailUrl, types: images });
}

/** Submits the video by URL with a cover: the caller's image, else the one that the platform suggests. */
export async function uploadClip(cascade: CreateContext): Promise<Clip> {
  const { client, access, order, journal } = cascade;
  const { video, imageUrl } = order.input;
  const fields = {
    advertiser_id: order.adAccount.id,
    upload_type: 'UPLOAD_BY_URL',
    video_url: video?.url ?? imageUrl,
    file_name: fileName(order.names.campaign),
    auto_bind_enabled: true,
    auto_fix_enabled: true,
  };
  const path = 'file/video/ad/upload';
  const upload = async (): Promise<string> => {
    const [uploaded] = await client.write(access, path, { schema: VideoUploaded, fields, timeoutFactor });
    return uploaded?.video_id ?? '';
  };
  const videoId = await journal.run({
    name: 'video.0',
    request: client.show(path, fields),
    send: upload,
    // A video costs nothing: after an unknown outcome it is submitted again.
    again: upload,
  });
  return { videoId, coverId: await uploadCover(cascade, videoId) };
}

async function uploadCover(cascade: CreateContext, videoId: string): Promise<string> {
  const { client, access, order, journal } = cascade;
  const path = 'file/image/ad/upload';
  const given = order.input.video?.thumbnailUrl;
  const fieldsOf = (url: string) => ({
    advertiser_id: order.adAccount.id,
    upload_type: 'UPLOAD_BY_URL',
    image_url: url,
    file_name: fileName(order.names.campaign, ' cover'),
  });
  const upload = async (): Promise<string> => {
    const fields = fieldsOf(given ?? (await proposedCover(cascade, videoId)));
    return (await client.write(access, path, { schema: ImageUploaded, fields })).image_id;
  };
  return journal.run({
    name: 'cover.0',
    request: client.show(path, fieldsOf(given ?? '{video_cover_url}')),
    send: upload,
    again: upload,
  });
}

/** The platform creates covers while it processes the video; their URLs expire after some hours. */
async function proposedCover({ client, access, order }: CreateContext, videoId: string): Promise<string> {
  const query = { advertiser_id: order.adAccount.id, video_ids: [videoId] };
  const cover = await pollUntil(async () => {
    const { list } = await client.read(access, 'file/video/ad/info', { schema: VideoInfo, query });
    return list[0]?.video_cover_url || undefined;
  }, coverTimeoutMs);
  if (cover) return cover;
  const message = 'The platform is still processing the video; retry to continue';
  throw new PlatformError('D', 'unavailable', message);
}
