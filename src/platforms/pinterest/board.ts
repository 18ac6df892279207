import { requireMedia } from '../media.ts';
import { anyImage } from '../media-types.ts';
import type { z } from 'zod';
import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import type { CreateContext } from './create-ads.ts';
import { unknownBoard } from './errors.ts';
import { linkOf } from './link.ts';
import { Board, fromStamp, Made, Pin } from './wire.ts';
import { isRecent } from '../poll.ts';

const boardName = 'Ads';

/** The caller's board, else that of earlier ads, else one of the default name, else a new one. */
export async function boardFor({ client, access, order, journal }: CreateContext): Promise<string> {
  const known = order.input.boardId ?? access.platformState.boardId;
  if (known) return known;
  const query = { ad_account_id: order.adAccount.id };
  const named = async (): Promise<string | undefined> => {
    for await (const page of client.pages(access, 'boards', { item: Board, query })) {
      const found = page.find(({ name }) => name === boardName);
      if (found) return found.id;
    }
    return undefined;
  };
  const existing = journal.dryRun ? undefined : await named();
  const fields = { name: boardName, description: 'Pins that are shown as ads', privacy: 'PUBLIC' };
  const boardId =
    existing ??
    (await journal.run({
      name: 'board',
      request: client.show('boards', fields, query),
      send: async () => (await client.write(access, 'boards', { schema: Made, fields, query })).id,
      find: named,
    }));
  if (!journal.dryRun) await access.keep({ boardId });
  return boardId;
}

/** The platform downloads the image from its URL, so it is checked first. */
export const requireImage = ({ media, order }: CreateContext): Promise<void> =>
  requireMedia(media, { platform: 'C', field: 'imageUrl', url: order.input.imageUrl ?? '', types: anyImage });

/** Creates the pin that the ad shows. */
export async function createPin(cascade: CreateContext, boardId: string): Promise<string> {
  const { client, access, order, journal } = cascade;
  const { headline, body, imageUrl } = order.input;
  const fields = {
    title: headline,
    description: body,
    link: linkOf(order.input),
    board_id: boardId,
    media_source: { source_type: 'image_url', url: imageUrl },
  };
  const query = { ad_account_id: order.adAccount.id };
  const send = async (): Promise<string> => (await client.write(access, 'pins', { schema: Made, fields, query })).id;
  return journal.run({
    name: 'creative.0',
    request: client.show('pins', fields, query),
    send: () => send().catch((error: unknown) => forgetBoard(cascade, boardId, error)),
    find: () => samePin(cascade, boardId),
  });
}

/** Pins have no unique name: an unused pin with the same text and link, created since the order, is ours. */
async function samePin({ client, access, order }: CreateContext, boardId: string): Promise<string | undefined> {
  const { headline, body } = order.input;
  const link = linkOf(order.input);
  const query = { ad_account_id: order.adAccount.id };
  const isSame = (pin: z.infer<typeof Pin>): boolean =>
    pin.title === headline && (pin.description ?? undefined) === body && pin.link === link;
  for await (const page of client.pages(access, `boards/${segment(boardId)}/pins`, { item: Pin, query })) {
    const found = page.find(
      (pin) => isSame(pin) && !pin.has_been_promoted && isRecent(fromStamp(pin.created_at), order),
    );
    if (found) return found.id;
  }
  return undefined;
}

/** Forgets a deleted board, so that the next ad finds or creates another. */
async function forgetBoard({ access, order }: CreateContext, boardId: string, error: unknown): Promise<never> {
  const isGone = error instanceof PlatformError && error.upstream.code === unknownBoard;
  if (!isGone) throw error;
  if (!order.input.boardId) await access.keep({ boardId: '' });
  const message = order.input.boardId
    ? 'is not a board of this account'
    : 'was deleted on the platform; retry the call';
  throw new PlatformError('C', 'rejected', `The board ${boardId} ${message}`, {
    ...error.upstream,
    fields: { boardId: [message] },
  });
}
