import { isAddress, isObject, read, required, rules, type Schema } from './checks.ts';
import { invalidRequest, PinError } from './errors.ts';
import { pageOf, type Page } from './lists.ts';
import { addBoard, seconds, type Board, type Fields, type Pin, type World } from './state.ts';

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

export function createBoard(world: World, ownerId: string, body: unknown): Fields {
  const fields = read(body, boardSchema);
  if (String(fields['name']).trim() === '') throw invalidRequest("'name' must not be empty");
  const adsOnly = { is_ads_only: true, name: 'Ad-only Pins', privacy: 'PROTECTED' };
  const isAdsOnly = fields['is_ads_only'] === true;
  const kept = { description: '', privacy: 'PUBLIC', is_ads_only: false, ...fields, ...(isAdsOnly && adsOnly) };
  return showBoard(world, addBoard(world, ownerId, kept));
}

export function boardOf(world: World, ownerId: string, id: string): Board {
  const board = world.boards.get(id);
  if (board?.ownerId !== ownerId) throw new PinError(404, 40, 'Board not found.');
  return board;
}

export function pinOf(world: World, ownerId: string, id: string): Pin {
  const pin = world.pins.get(id);
  if (pin?.ownerId !== ownerId) throw new PinError(404, 50, 'Pin not found.');
  return pin;
}

export function listBoards(world: World, ownerId: string, query: Query): Page {
  const { privacy } = query;
  return pageOf(world.boards.under(ownerId), query, (id) => {
    const board = world.boards.get(id);
    return board && (!privacy || board.fields['privacy'] === privacy) ? showBoard(world, board) : undefined;
  });
}

/** Pins of a user or of one board. */
export function listPins(world: World, key: string, query: Query): Page {
  return pageOf(world.pins.under(key), query, (id) => {
    const pin = world.pins.get(id);
    return pin && showPin(world, pin);
  });
}

const ownerOf = (world: World, { ownerId }: Board): Fields => ({ username: world.people.get(ownerId)?.username });

export const showBoard = (world: World, board: Board): Fields => ({
  id: board.id,
  created_at: stamp(board.createdAt),
  board_pins_modified_at: stamp(board.createdAt),
  ...board.fields,
  owner: ownerOf(world, board),
  pin_count: world.pins.under(board.id).length,
  collaborator_count: 0,
  follower_count: 0,
  media: { image_cover_url: null, pin_thumbnail_urls: [] },
});

export function createPin(world: World, ownerId: string, body: unknown): Fields {
  const { media_source: source, ...fields } = read(body, pinSchema);
  const media = mediaOf(source);
  const { link } = fields;
  if (typeof link === 'string' && link !== '' && !isAddress(link)) throw badAddress();
  const board = boardOf(world, ownerId, String(fields['board_id']));
  const pin: Pin = {
    id: world.newId('813744226'),
    ownerId,
    boardId: board.id,
    createdAt: seconds(),
    fields: { ...fields, media },
  };
  world.pins.put(pin);
  return showPin(world, pin);
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

export const showPin = (world: World, pin: Pin): Fields => ({
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
  board_owner: ownerOf(world, pin),
  creative_type: 'REGULAR',
  is_owner: true,
  is_standard: true,
  has_been_promoted: pin.isPromoted ?? false,
  pin_metrics: null,
});
