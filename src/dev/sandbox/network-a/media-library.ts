import { createHash } from 'node:crypto';
import { parseAddress } from '../../../lib/web-address.ts';
import { requireText, type Body } from './checks.ts';
import { GraphError, invalid } from './errors.ts';
import { type AdAccount, type GraphObject, type SandboxState } from './state.ts';
import { parseFields } from './read.ts';

/** Adds an image by its bytes; identical bytes are the same image. */
export function addImage(sandbox: SandboxState, account: AdAccount, body: Body): unknown {
  const [field = 'bytes'] = Object.keys(body).filter((name) => name !== 'name' && name !== 'access_token');
  const bytes = Buffer.from(requireText(body, field, 14_000_000), 'base64');
  const kind = kindOf(bytes);
  if (!kind) throw invalid('The file is not an image that can be used', { subcode: 1487411, field });
  const hash = createHash('md5').update(bytes).digest('hex');
  if (!hasImage(sandbox, account, hash)) sandbox.add({ kind: 'adimage', accountId: account.id, fields: { hash } });
  return { images: { [field]: { hash, url: `https://sandbox.invalid/${hash}.${kind}`, ...sizeOf(kind, bytes) } } };
}

export const hasImage = (sandbox: SandboxState, account: AdAccount, hash: string): boolean =>
  sandbox.under('adimage', account.id).some((id) => sandbox.objects.get(id)?.fields['hash'] === hash);

const kindOf = (bytes: Buffer): string | undefined => {
  const head = bytes.subarray(0, 4).toString('latin1');
  if (head === '\u0089PNG' && bytes.length >= 24) return 'png';
  return head.startsWith('\u00ff\u00d8\u00ff') ? 'jpg' : head === 'GIF8' ? 'gif' : undefined;
};

const sizeOf = (kind: string, bytes: Buffer): object =>
  kind === 'png' ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : { width: 1200, height: 628 };

/** Adds a video by URL; `unreachable` and `broken` in it simulate failures. */
export function checkVideo(body: Body): Body {
  const address = requireText(body, 'file_url', 2048);
  if (!parseAddress(address) || address.includes('unreachable'))
    throw new GraphError({ code: 389, subcode: 1363030, message: 'Unable to fetch video file from URL.' });
  return { file_url: address, name: body['name'], title: body['title'], polls: 0 };
}

export const isReady = ({ fields }: GraphObject): boolean => Number(fields['polls']) > 2 && !isBroken(fields);

const isBroken = (fields: Body): boolean => String(fields['file_url']).includes('broken');

/** A video is processing for two polls; until then its picture is a placeholder. */
export function pollVideo(sandbox: SandboxState, object: GraphObject, requested: string): unknown {
  const polled = { ...object, fields: { ...object.fields, polls: Number(object.fields['polls'] ?? 0) + 1 } };
  sandbox.objects.put(object.id, polled);
  const ready = isReady(polled);
  const picture = ready ? 'https://sandbox.invalid/frame.png' : 'https://sandbox.invalid/placeholder.gif';
  const all: Body = {
    title: object.fields['title'],
    status: { video_status: isBroken(object.fields) ? 'error' : ready ? 'ready' : 'processing' },
    picture,
    thumbnails: { data: [{ id: `${object.id}1`, uri: picture, is_preferred: true }] },
  };
  const fields = parseFields(requested);
  return { id: object.id, ...Object.fromEntries(Object.entries(all).filter(([name]) => fields.has(name))) };
}
