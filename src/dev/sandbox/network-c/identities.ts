import type { Asked } from './request.ts';
import { oneOfIn, pageInfo, requireName, requireText, textIn, windowIn, type Body } from './checks.ts';
import { wrong } from './errors.ts';
import { shapeOf } from './files.ts';
import type { Identity } from './state.ts';

export function createIdentity({ sandbox, advertiser, body }: Asked): Body {
  const name = requireName(body, 'display_name', 100);
  // Older documentation requires the image, newer has a default.
  const imageUri = textIn(body, 'image_uri');
  const image = imageUri === undefined ? undefined : sandbox.find('image', imageUri);
  if (imageUri !== undefined && image?.advertiserId !== advertiser.id) {
    throw wrong(`image_uri: The image ${imageUri} does not exist.`);
  }
  if (image && (shapeOf(image) ?? 1) !== 1) throw wrong('image_uri: The aspect ratio must be 1:1.');
  const identity: Identity = { id: sandbox.newId(), type: 'CUSTOMIZED_USER', name, imageUri, posts: [] };
  sandbox.identities.put(advertiser.id, [...(sandbox.identities.get(advertiser.id) ?? []), identity]);
  return { identity_id: identity.id };
}

export function listIdentities({ sandbox, advertiser, query }: Asked): Body {
  const type = oneOfIn(query, 'identity_type', ['CUSTOMIZED_USER', 'AUTH_CODE', 'TT_USER', 'BC_AUTH_TT']);
  const window = windowIn(query, { size: 20, most: 100 });
  const own = (sandbox.identities.get(advertiser.id) ?? []).filter((each) => type === undefined || each.type === type);
  const start = (window.page - 1) * window.size;
  return { identity_list: own.slice(start, start + window.size).map(show), page_info: pageInfo(window, own.length) };
}

const show = ({ id, type, name, imageUri }: Identity): Body => ({
  identity_id: id,
  identity_type: type,
  display_name: name,
  profile_image: imageUri ?? 'https://sandbox.invalid/avatar.png',
  available_status: 'AVAILABLE',
  can_pull_video: type !== 'CUSTOMIZED_USER',
  can_push_video: type !== 'CUSTOMIZED_USER',
  identity_authorized_bc_id: null,
});

function identityOf({ sandbox, advertiser, query }: Asked): Identity {
  const [type, id] = [requireText(query, 'identity_type'), requireText(query, 'identity_id')];
  const own = sandbox.identities.get(advertiser.id) ?? [];
  const identity = own.find((each) => each.id === id && each.type === type);
  if (!identity) throw wrong(`identity_id: The identity ${id} of type ${type} is not available to this advertiser.`);
  if (type === 'CUSTOMIZED_USER') throw wrong('identity_type: CUSTOMIZED_USER has no posts.');
  return identity;
}

/** Posts of an identity. Field names other than item_id are unconfirmed. */
export function listPosts(asked: Asked): Body {
  const { posts } = identityOf(asked);
  const start = Number(asked.query['cursor'] ?? 0);
  const count = Number(asked.query['count'] ?? 20);
  if (!Number.isInteger(start) || !Number.isInteger(count) || count < 1 || count > 20)
    throw wrong('cursor: Not valid.');
  const end = start + count;
  return { video_list: posts.slice(start, end).map(showPost), cursor: end, has_more: end < posts.length };
}

export function showOnePost(asked: Asked): Body {
  const id = requireText(asked.query, 'item_id');
  const post = identityOf(asked).posts.find(({ itemId }) => itemId === id);
  if (!post) throw wrong(`item_id: The post ${id} is not available to this identity.`);
  return { video_detail: showPost(post) };
}

const showPost = ({ itemId, text, videoId }: Identity['posts'][number]): Body => ({
  item_id: itemId,
  item_type: 'VIDEO',
  text,
  status: 'PUBLIC',
  video_info: {
    video_id: videoId,
    width: 720,
    height: 1280,
    duration: 15,
    poster_url: 'https://sandbox.invalid/p.png',
  },
});
