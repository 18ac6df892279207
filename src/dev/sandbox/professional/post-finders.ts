import type { Reply } from '../platform.ts';
import { allow, numberParam, ok, unsupported, type Asked } from './request.ts';
import { badParam, forbidden } from './errors.ts';
import { accountUrn, mayPostAs, type Post } from './state.ts';
import { showPost } from './posts.ts';
import { projected } from './read.ts';
import { idOf, listParam } from './restli.ts';
import type { Fields } from './shape.ts';

const paging = ['start', 'count', 'fields'];
const adTypes = ['STANDARD', 'VIDEO'];

/** Posts by author or by ad account, newest first. */
export function findPosts(asked: Asked): Reply {
  const { q } = asked.params;
  if (q === 'dscAdAccount') return list(asked, byAdAccount(asked));
  if (q === 'author') return list(asked, byAuthor(asked));
  throw unsupported(asked);
}

type Keep = (post: Post) => boolean;

function byAdAccount(asked: Asked): Keep {
  allow(asked, 'q', 'dscAdAccount', 'dscAdTypes', ...paging);
  const { sandbox, person, params } = asked;
  const account = sandbox.accounts.get(idOf(params['dscAdAccount'], 'sponsoredAccount') ?? '');
  if (!account) throw badParam('dscAdAccount');
  if (account.personId !== person.id) throw forbidden(accountUrn(account.id));
  const types = params['dscAdTypes'] === undefined ? adTypes : listParam(params, 'dscAdTypes');
  if (!types?.every((type) => adTypes.includes(type))) throw badParam('dscAdTypes');
  return (post) => contextOf(post)?.['dscAdAccount'] === accountUrn(account.id) && types.includes(adTypeOf(post));
}

function byAuthor(asked: Asked): Keep {
  allow(asked, 'q', 'author', 'isDsc', 'sortBy', ...paging);
  const { person, params } = asked;
  const organizationId = idOf(params['author'], 'organization');
  if (organizationId === undefined) throw badParam('author');
  if (!mayPostAs(person, organizationId)) throw forbidden(String(params['author']));
  const isDsc = params['isDsc'] === 'true';
  return (post) => post.organizationId === organizationId && (contextOf(post) !== undefined) === isDsc;
}

const contextOf = ({ fields }: Post): Fields | undefined => fields['adContext'] as Fields | undefined;
const adTypeOf = ({ urn }: Post): string => (urn.startsWith('urn:li:ugcPost:') ? 'VIDEO' : 'STANDARD');

function list({ sandbox, params }: Asked, keep: Keep): Reply {
  const count = numberParam(params, 'count', { least: 1, most: 100, default: 10 });
  const start = numberParam(params, 'start', { least: 0, most: Number.MAX_SAFE_INTEGER, default: 0 });
  const found = sandbox.posts
    .all()
    .filter((post) => !post.isRemoved && keep(post))
    .toReversed();
  return ok({
    paging: { start, count, total: found.length, links: [] },
    elements: found.slice(start, start + count).map((post) => projected(shown(post), params['fields'])),
  });
}

const shown = (post: Post): Fields => {
  const context = contextOf(post);
  return { ...showPost(post), ...(context && { adContext: { ...context, isDsc: true, dscAdType: adTypeOf(post) } }) };
};
