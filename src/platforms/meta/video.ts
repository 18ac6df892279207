import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import { pause } from '../poll.ts';
import type { CreateContext } from './create-ads.ts';
import { actOf, Created, VideoWire } from './wire.ts';

const pollMs = 2_000;
const maxWaitMs = 120_000;
/** The platform's own SDK waits only while a video is processing. */
const failed = /^(?:error|expired|\w+_failed)$/;

interface Upload {
  index: number;
  name: string;
  url: string;
}

/** Submits a video by URL and waits, up to a limit, until the platform has processed it. */
export async function uploadVideo(cascade: CreateContext, { index, name, url }: Upload): Promise<string> {
  const { client, access, order, journal } = cascade;
  const path = `${actOf(order.adAccount.id)}/advideos`;
  const fields = { file_url: url, name, title: name };
  const videoId = await journal.run({
    name: `video.${index}`,
    request: client.show(path, fields),
    send: async () => (await client.write(access, path, { schema: Created, fields })).id,
    // A video costs nothing and cannot be found by name: after an unknown outcome it is submitted again.
    again: async () => (await client.write(access, path, { schema: Created, fields })).id,
  });
  if (!journal.dryRun && !journal.isSearch) await ready(cascade, videoId);
  return videoId;
}

async function ready({ client, access }: CreateContext, videoId: string): Promise<void> {
  const deadline = Date.now() + maxWaitMs;
  for (let wait = 200; ; wait = Math.min(pollMs, wait * 2)) {
    const { status } = await client.read(access, segment(videoId), { schema: VideoWire, query: { fields: 'status' } });
    if (status.video_status === 'ready') return;
    if (failed.test(status.video_status)) {
      throw new PlatformError('A', 'rejected', 'The platform cannot use the video', {
        fields: { video: ['cannot be used by the platform'] },
      });
    }
    if (Date.now() > deadline) {
      throw new PlatformError('A', 'unavailable', 'The platform is still processing the video; retry to continue');
    }
    await pause(wait);
  }
}
