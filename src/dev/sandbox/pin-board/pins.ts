import { isAddress, isObject, read, required, rules, type Schema } from './checks.ts';
import { invalidRequest, PinError } from './errors.ts';
import { pageOf, type Page } from './lists.ts';
import { addBoard, seconds, type Board, type Fields, type Pin, type SandboxState } from './state.ts';

type Query = Record<string, string>;

const boardSchema: Schema = {
  name: required(rules.text()),
  description: rules.text(),
  privacy: rules.oneOf('PUBLIC', 'PROTECTED', 'SECRET'),
  is_ads_only: rules.flag(),
};

const pinSchema: Schema = {
  board_id: required(rules.id()),
  board_section_id: rules.id(),
  parent_pin_id: rules.id(),
  title: rules.text(100),
  description: rules.text(800),
  link: rules.text(2048),
  alt_text: rules.text(500),
  dominant_color: rules.text(),
  media_source: required(rules.object()),
};

const sourceSchemas: Record<string, Schema> = {
  image_url: { url: required(rules.text()) },
  image_base64: {
    content_type: required(rules.oneOf('image/jpeg', 'image/png')),
    data: required(rules.id(/^[a-zA-Z0-9+/=]+$/)),
  },
  video_id: { media_id: required(rules.id()), cover_image_url: rules.text() },
};

const firstBytes: Record<string, string> = { 'image/jpeg': 'ffd8ff', 'image/png': '89504e47' };

/** The platform's timestamp format, without a zone. */
const stamp = (at: number): string => new Date(at * 1000).toISOString().slice(0, 19);

export function createBoard(sandbox: SandboxState, ownerId: string, body: unknown): Fields {
  const fields = read(body, boardSchema);
  if (String(fields['name']).trim() === '') throw invalidRequest("'name' must not be empty");
  const adsOnly = { is_ads_only: true, name: 'Ad-only Pins', privacy: 'PROTECTED' };
  const isAdsOnly = fields['is_ads_only'] === true;
  const kept = { description: '', privacy: 'PUBLIC', is_ads_only: false, ...fields, ...(isAdsOnly && adsOnly) };
  return showBoard(sandbox, addBoard(sandbox, ownerId, kept));
}

export function boardOf(sandbox: SandboxState, ownerId: string, id: string): Board {
  const board = sandbox.boards.get(id);
  if (board?.ownerId !== ownerId) throw new PinError(404, 40, 'Board not found.');
  return board;
}

export function pinOf(sandbox: SandboxState, ownerId: string, id: string): Pin {
  const pin = sandbox.pins.get(id);
  if (pin?.ownerId !== ownerId) throw new PinError(404, 50, 'Pin not found.');
  return pin;
}

export function listBoards(sandbox: SandboxState, ownerId: string, query: Query): Page {
  const { privacy } = query;
  return pageOf(sandbox.boards.under(ownerId), query, (id) => {
    const board = sandbox.boards.get(id);
    return board && (!privacy || board.fields['privacy'] === privacy) ? showBoard(sandbox, board) : undefined;
  });
}

/** Pins of a user or of one board. */
export function listPins(sandbox: SandboxState, key: string, query: Query): Page {
  return pageOf(sandbox.pins.under(key), query, (id) => {
    const pin = sandbox.pins.get(id);
    return pin && showPin(sandbox, pin);
  });
}

const ownerOf = (sandbox: SandboxState, { ownerId }: Board): Fields => ({
  username: sandbox.people.get(ownerId)?.username,
});

export const showBoard = (sandbox: SandboxState, board: Board): Fields => ({
  id: board.id,
  created_at: stamp(board.createdAt),
  board_pins_modified_at: stamp(board.createdAt),
  ...board.fields,
  owner: ownerOf(sandbox, board),
  pin_count: sandbox.pins.under(board.id).length,
  collaborator_count: 0,
  follower_count: 0,
  media: { image_cover_url: null, pin_thumbnail_urls: [] },
});

export function createPin(sandbox: SandboxState, ownerId: string, body: unknown): Fields {
  const { media_source: source, ...fields } = read(body, pinSchema);
  const media = mediaOf(source);
  const { link } = fields;
  if (typeof link === 'string' && link !== '' && !isAddress(link)) throw badAddress();
  const board = boardOf(sandbox, ownerId, String(fields['board_id']));
  const pin: Pin = {
    id: sandbox.newId('813744226'),
    ownerId,
    boardId: board.id,
    createdAt: seconds(),
    fields: { ...fields, media },
  };
  sandbox.pins.put(pin);
  return showPin(sandbox, pin);
}

const badAddress = (): PinError =>
  new PinError(400, 1, 'Whoops! It looks like you entered an invalid URL. Try creating a Pin again with a valid URL.');

function mediaOf(source: unknown): Fields {
  const type = isObject(source) ? String(source['source_type']) : '';
  const schema = sourceSchemas[type];
  if (!schema) throw invalidRequest(`'source_type' must be one of ${Object.keys(sourceSchemas).join(', ')}`);
  const { url, data, content_type: contentType, media_id: mediaId } = read(source, schema);
  // Videos are uploaded to an endpoint that is not simulated, so every media id is unknown.
  if (type === 'video_id') throw invalidRequest(`media ${String(mediaId)} was not found`);
  if (type === 'image_url' && !isAddress(url)) throw badAddress();
  if (type === 'image_base64' && !hasBytesOf(String(contentType), String(data)))
    throw invalidRequest(`'data' is not an image of ${String(contentType)}`);
  const address = url ?? 'https://sandbox.invalid/uploaded.png';
  const images = {
    '600x': { width: 600, height: 600, url: address },
    originals: { width: 1000, height: 1000, url: address },
  };
  return { media_type: 'image', images };
}

const hasBytesOf = (type: string, data: string): boolean =>
  Buffer.from(data.slice(0, 16), 'base64')
    .toString('hex')
    .startsWith(firstBytes[type] ?? '-');

export const showPin = (sandbox: SandboxState, pin: Pin): Fields => ({
  id: pin.id,
  created_at: stamp(pin.createdAt),
  title: null,
  description: null,
  link: null,
  alt_text: null,
  dominant_color: null,
  board_section_id: null,
  parent_pin_id: null,
  ...pin.fields,
  board_owner: ownerOf(sandbox, pin),
  creative_type: 'REGULAR',
  is_owner: true,
  is_standard: true,
  has_been_promoted: pin.isPromoted ?? false,
  pin_metrics: null,
});
