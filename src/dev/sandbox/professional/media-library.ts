import { createHash } from 'node:crypto';
import type { Received, Reply } from '../platform.ts';
import { allow, keyText, noContent, ok, requireScope, unsupported, type Asked } from './request.ts';
import { badParam, badRequest, bodyOf, forbidden, notFound, RestError, unprocessable } from './errors.ts';
import { mayPostAs, organizationUrn, secretText, type Asset, type Person, type SandboxState } from './state.ts';
import { idOf, listParam } from './restli.ts';
import { flag, listOf, long, record, requireShape, text, urn, type Fields, type Rule } from './shape.ts';

/** Relative to the platform's base path. */
export const uploadPath = '/dms-uploads/';

const partSize = 4 * 1024 * 1024;
const largestVideo = 500 * 1024 * 1024;
const expiry = 24 * 60 * 60 * 1000;

const imageShape = record({
  fields: { owner: urn('organization', 'person'), mediaLibraryMetadata: () => [] },
  required: ['owner'],
});
/** The platform's minimum of 75 KB is not enforced: the sample video is smaller. */
const videoShape = record({
  fields: { owner: urn('organization', 'person'), fileSizeBytes: long, uploadCaptions: flag, uploadThumbnail: flag },
  required: ['owner', 'fileSizeBytes', 'uploadCaptions', 'uploadThumbnail'],
});
const finalShape = record({
  fields: { video: urn('video'), uploadToken: text(), uploadedPartIds: listOf(text()) },
  required: ['video', 'uploadToken', 'uploadedPartIds'],
});

/** `/images` and `/videos`: upload URLs and processing status. */
export function handleMedia(asked: Asked): Reply {
  requireScope(asked, 'w_organization_social', 'rw_ads');
  const kind = asked.parts[0] === 'images' ? 'image' : 'video';
  if (asked.verb === 'GET') return ok(look(asked, kind, keyText(asked.parts[1])));
  if (asked.verb === 'BATCH_GET') return ok(lookAtMany(asked, kind));
  if (asked.verb !== 'ACTION') throw unsupported(asked);
  allow(asked, 'action');
  if (asked.params['action'] === 'finalizeUpload' && kind === 'video') return finalize(asked);
  if (asked.params['action'] !== 'initializeUpload') throw badParam('action');
  const order = requestIn(asked, 'initializeUploadRequest', kind === 'image' ? imageShape : videoShape);
  return ok({ value: kind === 'image' ? startImage(asked, order) : startVideo(asked, order) });
}

function requestIn({ json }: Asked, name: string, shape: Rule): Fields {
  requireShape(record({ fields: { [name]: shape }, required: [name] }), json);
  return (json as Record<string, Fields>)[name] ?? {};
}

/** An owner that is not the user's organisation is rejected with only a status. */
function ownerOf({ person }: Asked, { owner }: Fields): string {
  const organizationId = idOf(owner, 'organization');
  if (organizationId !== undefined && mayPostAs(person, organizationId)) return organizationId;
  throw new RestError({ status: 403 });
}

function addAsset(sandbox: SandboxState, asset: Pick<Asset, 'kind' | 'organizationId' | 'parts'>): Asset {
  const letters = asset.kind === 'image' ? 'C4E22AQ' : 'C5F10AQ';
  const upload = secretText();
  const made: Asset = {
    ...asset,
    urn: `urn:li:${asset.kind}:${letters}${secretText()
      .replaceAll(/[^A-Za-z0-9]/g, 'x')
      .slice(0, 14)}`,
    status: 'WAITING_UPLOAD',
    upload,
    uploadToken: asset.kind === 'video' ? secretText() : '',
  };
  sandbox.assets.put(made.urn, made);
  sandbox.uploads.put(upload, made.urn);
  return made;
}

const addressOf = ({ url }: Received, { upload }: Asset, what: string): string =>
  `${new URL(url).origin}/professional${uploadPath}${upload}/${what}`;

function startImage(asked: Asked, order: Fields): Fields {
  const asset = addAsset(asked.sandbox, {
    kind: 'image',
    organizationId: ownerOf(asked, order),
    parts: [{ length: 0 }],
  });
  const uploadUrl = addressOf(asked, asset, 'uploaded-image/0');
  return { uploadUrlExpiresAt: Date.now() + expiry, uploadUrl, image: asset.urn };
}

function startVideo(asked: Asked, order: Fields): Fields {
  const organizationId = ownerOf(asked, order);
  const size = Number(order['fileSizeBytes']);
  if (size < 1 || size > largestVideo)
    throw unprocessable('initializeUploadRequest/fileSizeBytes', `must be from 1 to ${largestVideo}`);
  const starts = Array.from({ length: Math.ceil(size / partSize) }, (_, part) => part * partSize);
  const parts = starts.map((start) => ({ length: Math.min(partSize, size - start) }));
  const asset = addAsset(asked.sandbox, { kind: 'video', organizationId, parts });
  return {
    uploadUrlsExpireAt: Date.now() + expiry,
    video: asset.urn,
    uploadInstructions: starts.map((firstByte, part) => ({
      uploadUrl: addressOf(asked, asset, `uploaded-video/${part}`),
      firstByte,
      lastByte: firstByte + (parts[part]?.length ?? 0) - 1,
    })),
    uploadToken: asset.uploadToken,
    ...(order['uploadThumbnail'] === true && { thumbnailUploadUrl: addressOf(asked, asset, 'thumbnail/0') }),
    ...(order['uploadCaptions'] === true && { captionsUploadUrl: addressOf(asked, asset, 'captions/0') }),
  };
}

/** Receives bytes at an upload URL; the response for a wrong URL is unconfirmed. */
export function receiveUpload(sandbox: SandboxState, person: Person, { method, path, bytes }: Received): Reply {
  const [upload = '', what, number] = path.slice(uploadPath.length).split('/');
  const asset = sandbox.assets.get(sandbox.uploads.get(upload) ?? '');
  if (!asset) throw notFound(path);
  if (!mayPostAs(person, asset.organizationId)) throw forbidden(path);
  if (method !== 'PUT') throw badRequest(`${method} is not supported on an upload address`);
  if (what === 'thumbnail' || what === 'captions') return { status: 201, body: undefined };
  const part = asset.parts[Number(number)];
  if (!part || asset.status !== 'WAITING_UPLOAD') throw badRequest('Nothing is waited for at this address');
  if (bytes.length === 0) throw badRequest('The upload is empty');
  if (asset.kind === 'image') {
    sandbox.assets.put(asset.urn, { ...asset, status: isImage(bytes) ? 'PROCESSING' : 'PROCESSING_FAILED' });
    return { status: 201, body: undefined };
  }
  if (bytes.length !== part.length)
    throw badRequest(`The part must have ${part.length} bytes, and ${bytes.length} came`);
  const tag = createHash('sha1').update(bytes).update(`${upload} ${number}`).digest('hex');
  const parts = asset.parts.map((each) => (each === part ? { ...each, tag } : each));
  sandbox.assets.put(asset.urn, { ...asset, parts });
  return { status: 200, body: undefined, headers: { ETag: tag } };
}

const signatures = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
];
const isImage = (bytes: Buffer): boolean => signatures.some((start) => start.every((byte, at) => bytes[at] === byte));

function finalize(asked: Asked): Reply {
  const { video, uploadToken, uploadedPartIds } = requestIn(asked, 'finalizeUploadRequest', finalShape);
  const asset = assetOf(asked, 'video', String(video));
  if (asset.status !== 'WAITING_UPLOAD') throw badRequest('The upload was finalized before');
  if (uploadToken !== asset.uploadToken)
    throw unprocessable('finalizeUploadRequest/uploadToken', 'is not that of the upload');
  const tags = asset.parts.map(({ tag }) => tag);
  if (JSON.stringify(tags) !== JSON.stringify(uploadedPartIds))
    throw unprocessable('finalizeUploadRequest/uploadedPartIds', 'must name each uploaded part in order');
  asked.sandbox.assets.put(asset.urn, { ...asset, status: 'PROCESSING' });
  return noContent();
}

function assetOf({ sandbox, person }: Asked, kind: Asset['kind'], urn: string): Asset {
  const asset = sandbox.assets.get(urn);
  if (asset?.kind !== kind) throw notFound(urn);
  if (!mayPostAs(person, asset.organizationId)) throw forbidden(urn);
  return asset;
}

/** Processing finishes at the next poll. */
function look(asked: Asked, kind: Asset['kind'], urn: string): Fields {
  const asset = assetOf(asked, kind, urn);
  if (asset.status === 'PROCESSING') asked.sandbox.assets.put(urn, { ...asset, status: 'AVAILABLE' });
  const download = { downloadUrl: addressOf(asked, asset, 'download'), downloadUrlExpiresAt: Date.now() + expiry };
  return {
    id: urn,
    owner: organizationUrn(asset.organizationId),
    status: asset.status,
    ...(asset.status === 'AVAILABLE' && download),
  };
}

function lookAtMany(asked: Asked, kind: Asset['kind']): Fields {
  const [results, statuses, errors]: [Fields, Fields, Fields] = [{}, {}, {}];
  for (const urn of listParam(asked.params, 'ids') ?? []) {
    try {
      results[urn] = look(asked, kind, urn);
      statuses[urn] = 200;
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      statuses[urn] = error.problem.status;
      errors[urn] = bodyOf(error.problem);
    }
  }
  return { results, statuses, errors };
}
