import type { Reply } from '../platform.ts';
import { allow, created, keyText, noContent, ok, requireScope, unsupported, type Asked } from './request.ts';
import { forbidden, notFound } from './errors.ts';
import { mayPostAs, type Post } from './state.ts';
import { patched } from './patch.ts';
import { findPosts } from './post-finders.ts';
import { addPost, postChange, showPost } from './posts.ts';
import { projected } from './read.ts';
import { isRecord, requireShape } from './shape.ts';

/** Posts of organisations; creating one requires fewer permissions than reading it. */
export function handlePosts(asked: Asked): Reply {
  const { verb, parts, params, sandbox, json } = asked;
  const isRead = verb === 'GET' || verb === 'FINDER';
  requireScope(asked, isRead ? 'r_organization_social' : 'w_organization_social');
  if (verb === 'FINDER') return findPosts(asked);
  if (verb === 'CREATE') {
    allow(asked);
    return created(addPost(asked, json).urn);
  }
  const post = postAt(asked, keyText(parts[1]));
  switch (verb) {
    case 'GET':
      allow(asked, 'fields', 'viewContext');
      return ok(projected(showPost(post), params['fields']));
    case 'PARTIAL_UPDATE': {
      if (isRecord(json)) requireShape(postChange, patched({}, json, fixed), '/patch/$set');
      sandbox.posts.put(post.urn, { ...post, fields: patched(post.fields, json, fixed) });
      return noContent();
    }
    case 'DELETE':
      sandbox.posts.put(post.urn, { ...post, isRemoved: true });
      return noContent();
    default:
      throw unsupported(asked);
  }
}

/** Immutable: another link, label or image needs a new post. */
const fixed = [
  'id',
  'author',
  'content',
  'contentLandingPage',
  'contentCallToActionLabel',
  'visibility',
  'distribution',
  'lifecycleState',
];

function postAt({ sandbox, person }: Asked, urn: string): Post {
  const post = sandbox.posts.get(urn);
  if (!post || post.isRemoved) throw notFound(urn);
  if (!mayPostAs(person, post.organizationId)) throw forbidden(urn);
  return post;
}
