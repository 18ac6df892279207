import { createHash } from 'node:crypto';
import type { Scene } from './checks.ts';
import { forbiddenField, RestError, unprocessable } from './errors.ts';
import { accountUrn, mayPostAs, type Post, type SandboxState } from './state.ts';
import { idOf } from './restli.ts';
import { flag, listOf, oneOf, record, requireShape, text, urn, webAddress, type Fields } from './shape.ts';

const adContext = record({
  fields: { dscAdAccount: urn('sponsoredAccount'), dscStatus: oneOf('ACTIVE', 'ARCHIVED'), dscName: text(255) },
  required: ['dscAdAccount', 'dscStatus'],
  readOnly: ['dscAdType', 'isDsc'],
});

const media = record({
  fields: { id: urn('image', 'video', 'document'), title: text(200), altText: text(4086) },
  required: ['id'],
});

const article = record({
  fields: { source: webAddress, thumbnail: urn('image'), title: text(200), description: text(4086) },
  required: ['source', 'title'],
});

const callsToAction = oneOf(
  ...'APPLY DOWNLOAD VIEW_QUOTE LEARN_MORE SIGN_UP SUBSCRIBE REGISTER JOIN ATTEND REQUEST_DEMO SEE_MORE BUY_NOW SHOP_NOW'.split(
    ' ',
  ),
);

const postShape = record({
  fields: {
    author: urn('organization', 'person'),
    commentary: text(3000),
    visibility: oneOf('PUBLIC', 'CONNECTIONS', 'LOGGED_IN'),
    distribution: record({
      fields: {
        feedDistribution: oneOf('MAIN_FEED', 'NONE'),
        targetEntities: listOf(() => []),
        thirdPartyDistributionChannels: listOf(() => []),
      },
      required: ['feedDistribution'],
    }),
    lifecycleState: oneOf('PUBLISHED', 'DRAFT'),
    isReshareDisabledByAuthor: flag,
    adContext,
    content: record({ fields: { media, article } }),
    contentLandingPage: webAddress,
    contentCallToActionLabel: callsToAction,
  },
  required: ['author', 'commentary', 'visibility', 'distribution', 'lifecycleState'],
  readOnly: ['id', 'createdAt', 'publishedAt', 'lastModifiedAt', 'isReshareDisabled'],
});

/** Context for validating posts. */
export type PostScene = Pick<Scene, 'sandbox' | 'person'>;

/** Validates and creates a post of an organisation. */
export function addPost(scene: PostScene, body: unknown): Post {
  const { sandbox } = scene;
  requireShape(postShape, body);
  const fields = { ...(body as Fields) };
  const organizationId = requireAuthor(scene, fields);
  checkAdContext(scene, fields);
  const isVideo = checkContent(sandbox, organizationId, fields);
  if (fields['contentCallToActionLabel'] !== undefined && fields['contentLandingPage'] === undefined)
    throw unprocessable('contentLandingPage', 'field is required with a call to action');
  if (sandbox.quirks.get('cutText')) fields['commentary'] = cut(String(fields['commentary']));
  const key = fingerprint(fields);
  rejectDuplicate(sandbox, key);
  const urn = `urn:li:${isVideo ? 'ugcPost' : 'share'}:${sandbox.newId(7_000_000_000_000_000).padEnd(19, '0')}`;
  const post = { urn, organizationId, fields, createdAt: Date.now() };
  sandbox.posts.put(urn, post);
  sandbox.fingerprints.put(key, { urn, at: post.createdAt });
  return post;
}

/** Removes a post whose creative could not be created. */
export function dropPost(sandbox: SandboxState, post: Post): void {
  sandbox.posts.put(post.urn, { ...post, isRemoved: true });
  sandbox.fingerprints.put(fingerprint(post.fields), { urn: post.urn, at: 0 });
}

/** A wrong author is a permission error instead of a validation error. */
function requireAuthor({ person }: PostScene, { author }: Fields): string {
  const organizationId = idOf(author, 'organization');
  if (organizationId === undefined || !mayPostAs(person, organizationId)) throw forbiddenField('author');
  return organizationId;
}

function checkAdContext({ sandbox, person }: PostScene, fields: Fields): void {
  const context = fields['adContext'] as Fields | undefined;
  const { feedDistribution } = fields['distribution'] as Fields;
  if (context === undefined && feedDistribution === 'NONE')
    throw unprocessable('adContext', 'field is required for a post that no feed shows');
  if (context === undefined) return;
  const account = sandbox.accounts.get(idOf(context['dscAdAccount'], 'sponsoredAccount') ?? '');
  if (account?.personId !== person.id) throw forbiddenField('adContext/dscAdAccount');
}

/** Media must exist, be ready, and belong to the author. */
function checkContent(sandbox: SandboxState, organizationId: string, fields: Fields): boolean {
  const content = (fields['content'] ?? {}) as { media?: Fields; article?: Fields };
  if (fields['content'] !== undefined && Object.keys(content).length !== 1)
    throw unprocessable('content', 'exactly one kind of content is allowed');
  const [urn, at] = content.media
    ? [content.media['id'], 'content/media/id']
    : [content.article?.['thumbnail'], 'content/article/thumbnail'];
  if (urn === undefined) return false;
  const asset = sandbox.assets.get(String(urn));
  if (!asset) throw unprocessable(at, `${String(urn)} does not exist`);
  if (asset.organizationId !== organizationId) throw unprocessable(at, 'the owner of the media is not the author');
  if (asset.status !== 'AVAILABLE')
    throw unprocessable(at, `the media is not available: ${asset.status}`, `MEDIA_ASSET_${asset.status}`);
  return asset.kind === 'video';
}

/** Simulates the silent truncation at an unescaped bracket in some versions. */
const cut = (commentary: string): string => /^(?:\\.|[^\\(])*/s.exec(commentary)?.[0] ?? commentary;

const fingerprint = ({ author, commentary, content, contentLandingPage }: Fields): string =>
  createHash('sha256')
    .update(JSON.stringify([author, commentary, content, contentLandingPage]))
    .digest('hex');

const remembered = 24 * 60 * 60 * 1000;

function rejectDuplicate(sandbox: SandboxState, key: string): void {
  const earlier = sandbox.fingerprints.get(key);
  if (!earlier || Date.now() - earlier.at > remembered) return;
  const message = `Content is a duplicate of ${earlier.urn}`;
  throw new RestError({ status: 422, code: 'DUPLICATE_POST', message, field: 'commentary' });
}

/** Mutable fields of a post. */
export const postChange = record({
  fields: {
    commentary: text(3000),
    adContext: record({ fields: { dscStatus: oneOf('ACTIVE', 'ARCHIVED'), dscName: text(255) } }),
  },
});

export const showPost = ({ urn, fields, createdAt }: Post): Fields => ({
  id: urn,
  ...fields,
  createdAt,
  publishedAt: createdAt,
  lastModifiedAt: createdAt,
});

/** Whether a post sponsors the account of a creative. */
export const isSponsoredBy = ({ fields }: Post, accountId: string): boolean => {
  const context = fields['adContext'] as Fields | undefined;
  return context === undefined || context['dscAdAccount'] === accountUrn(accountId);
};
