import { createHash } from 'node:crypto';
import { parseAddress } from '../../../lib/web-address.ts';
import { oneOfIn, parsedList, requireText, textIn, type Body } from './checks.ts';
import { missing, VendorError, wrong } from './errors.ts';
import { isImageHead, isVideoHead } from '../fetch-file.ts';
import type { Received } from '../platform.ts';
import type { Asked } from './request.ts';
import type { Thing } from './state.ts';

type FileKind = 'image' | 'video';

/** The sample media that this sandbox serves; the size of other files is not known, nor judged. */
const sizes: Record<string, [number, number]> = {
  'landscape.png': [1200, 628],
  'square.png': [1080, 1080],
  'wide.png': [1600, 400],
  'thumbnail.png': [640, 360],
  'video.mp4': [640, 360],
};
const coverLife = 6 * 3_600_000;

/** Width by height, where the size is known. */
export const shapeOf = ({ fields }: Thing): number | undefined =>
  fields['is_size_known'] === true ? Number(fields['width']) / Number(fields['height']) : undefined;

/** Every upload makes a new id. */
export function uploadVideo(asked: Asked): Body[] {
  const { world } = asked;
  const fields = fileFields(asked, 'video');
  const now = Date.now();
  const id = `v10033g50000${world.newId()}`;
  const { advertiser } = asked;
  const thing = world.add({
    id,
    kind: 'video',
    advertiserId: advertiser.id,
    fields: { ...fields, duration: 10.5, format: 'mp4', ad_name: fields['file_name'] },
    triesLeft: world.settings.transcodingTries,
  });
  const cover = new URL('/media/thumbnail.png', asked.url);
  cover.search = new URLSearchParams({ video: id, 'x-expires': String(now + coverLife) }).toString();
  thing.fields['video_cover_url'] = cover.href;
  world.save(thing);
  return [videoInfo(thing)];
}

const videoInfo = ({ id, fields, triesLeft = 0 }: Thing): Body => {
  const { is_size_known: _known, url, ...rest } = fields;
  return { video_id: id, ...rest, preview_url: url, displayable: triesLeft === 0, allow_download: true };
};

export function uploadImage(asked: Asked): Body {
  const { world, advertiser } = asked;
  const fields = fileFields(asked, 'image');
  const id = `ad-site-i18n-sg/${world.newId()}`;
  const thing = world.add({ id, kind: 'image', advertiserId: advertiser.id, fields });
  return imageInfo(thing);
}

const imageInfo = ({ id, fields }: Thing): Body => {
  const { is_size_known: _known, url, ...rest } = fields;
  return { image_id: id, image_url: url, ...rest, format: 'png', is_carousel_usable: false };
};

/** Details of files by id; what is not there is left out. A video is nearer to being ready after each look. */
export function showFiles({ world, advertiser, query }: Asked, kind: FileKind): Body {
  const ids = parsedList(query, `${kind}_ids`);
  if (!ids?.length) throw missing(`${kind}_ids`);
  if (ids.length > (kind === 'video' ? 60 : 100)) throw new VendorError(40011, `${kind}_ids: Too many ids.`);
  const found = ids.map((id) => world.find(kind, id)).filter((thing) => thing?.advertiserId === advertiser.id);
  return {
    list: found.flatMap((thing) => (thing ? [kind === 'video' ? lookAt(world, thing) : imageInfo(thing)] : [])),
  };
}

function lookAt(world: Asked['world'], video: Thing): Body {
  const info = videoInfo(video);
  if (video.triesLeft) {
    video.triesLeft -= 1;
    world.save(video);
  }
  return info;
}

function fileFields(asked: Asked, kind: FileKind): Body {
  const { world, advertiser, body } = asked;
  const way = oneOfIn(body, 'upload_type', ['UPLOAD_BY_FILE', 'UPLOAD_BY_URL']) ?? 'UPLOAD_BY_FILE';
  const source = way === 'UPLOAD_BY_URL' ? fromAddress(asked, kind) : fromBytes(body, kind);
  const given = textIn(body, 'file_name');
  if (given && given.length > 100) throw wrong('file_name: Longer than maximum length 100.');
  if (given && world.hasFile({ kind, advertiserId: advertiser.id }, given)) {
    throw new VendorError(40911, `Duplicated material name: ${given}`);
  }
  return { ...source, file_name: given ?? `${kind}-${world.newId()}` };
}

/** What an upload by address names. Covers that this sandbox drew itself are known. */
export function fileAddress({ method, path, body }: Pick<Received, 'method' | 'path' | 'body'>): string | undefined {
  const kind =
    method === 'POST' && body['upload_type'] === 'UPLOAD_BY_URL' && /\/file\/(video|image)\//.exec(path)?.[1];
  const url = kind ? body[`${kind}_url`] : undefined;
  return typeof url === 'string' && /^https?:/.test(url) ? url : undefined;
}

function fromAddress({ world, advertiser, body, fetched }: Asked, kind: FileKind): Body {
  const url = requireText(body, `${kind}_url`);
  const refused = kind === 'video' ? 40902 : 40903;
  const address = parseAddress(url);
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new VendorError(refused, `${kind}_url: Failed to fetch ${url}`);
  }
  const isGood = kind === 'video' ? isVideoHead : isImageHead;
  if (!fetched) throw new VendorError(refused, `${kind}_url: Failed to fetch ${url}`);
  if (!isGood(fetched)) throw new VendorError(refused, `${kind}_url: Unsupported file format.`);
  const until = address.searchParams.get('x-expires');
  if (until && Number(until) < Date.now()) throw new VendorError(refused, `${kind}_url: The address has expired.`);
  const video = world.find('video', address.searchParams.get('video') ?? '');
  const cover = video?.advertiserId === advertiser.id ? video.fields : undefined;
  const size = sizes[address.pathname.split('/').at(-1) ?? ''];
  const [width, height] = cover ? [cover['width'], cover['height']] : (size ?? [1280, 720]);
  return { url, width, height, is_size_known: cover ? cover['is_size_known'] : size !== undefined };
}

function fromBytes(body: Body, kind: FileKind): Body {
  const bytes = Buffer.from(requireText(body, `${kind}_file`), 'base64');
  const signature = requireText(body, `${kind}_signature`);
  if (createHash('md5').update(bytes).digest('hex') !== signature.toLowerCase()) {
    throw wrong(`${kind}_signature: Does not match the file.`);
  }
  const isPng = bytes.subarray(1, 4).toString('latin1') === 'PNG' && bytes.length > 24;
  const size = isPng ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : [640, 360];
  return { signature, size: bytes.length, width: size[0], height: size[1], is_size_known: true };
}
