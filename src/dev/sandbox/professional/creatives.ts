import type { Check, Scene } from './checks.ts';
import { RestError, unprocessable } from './errors.ts';
import { entitiesOf, entityAt, keyOf, organizationUrn, type Entity, type Post, type SandboxState } from './state.ts';
import { isSponsoredBy } from './posts.ts';
import { idOf } from './restli.ts';
import { filled, oneOf, record, text, urn, type Fields } from './shape.ts';

export const creativeShape = record({
  fields: {
    account: urn('sponsoredAccount'),
    campaign: urn('sponsoredCampaign'),
    content: record({ fields: { reference: urn('share', 'ugcPost') }, required: ['reference'] }),
    intendedStatus: oneOf('ACTIVE', 'PAUSED', 'DRAFT', 'ARCHIVED', 'CANCELED', 'PENDING_DELETION'),
    name: filled(255),
    leadgenCallToAction: record({
      fields: {
        destination: urn('adForm'),
        label: oneOf(
          'APPLY',
          'DOWNLOAD',
          'VIEW_QUOTE',
          'LEARN_MORE',
          'SIGN_UP',
          'SUBSCRIBE',
          'REGISTER',
          'REQUEST_DEMO',
          'JOIN',
          'ATTEND',
          'UNLOCK_FULL_DOCUMENT',
        ),
      },
      required: ['destination', 'label'],
    }),
  },
  required: ['campaign', 'content', 'intendedStatus'],
  readOnly: [
    'id',
    'review',
    'isServing',
    'isTest',
    'servingHoldReasons',
    'createdAt',
    'createdBy',
    'lastModifiedAt',
    'lastModifiedBy',
  ],
});

const most = { inAccount: 15_000, inCampaign: 100, active: 15 };

/** Validates a new or updated creative. */
export const checkCreative: Check = (scene, fields) => {
  const { sandbox, account, before } = scene;
  const { reference } = fields['content'] as Fields;
  const campaign = entityAt(sandbox, fields['campaign'], 'campaign');
  if (campaign?.accountId !== account.id) throw unprocessable('campaign', 'does not exist in the ad account');
  const post = sandbox.posts.get(String(reference));
  if (!post || post.isRemoved) throw unprocessable('content/reference', `${String(reference)} does not exist`);
  checkIntent(fields, before);
  checkPost(scene, { campaign, post });
  checkForm(scene, campaign, fields);
  checkCounts(scene, fields);
};

/** PAUSED requires a review, so a new creative cannot request it. */
function checkIntent({ intendedStatus: requested }: Fields, before: Entity | undefined): void {
  const was = before?.fields['intendedStatus'];
  if (!before && requested !== 'ACTIVE' && requested !== 'DRAFT')
    throw unprocessable('intendedStatus', `${requested} is not allowed before the creative was reviewed`);
  if (was === 'PENDING_DELETION' && requested !== was)
    throw unprocessable('intendedStatus', 'cannot be changed while a deletion is pending');
  if (before && requested === 'DRAFT' && was !== 'DRAFT')
    throw unprocessable('intendedStatus', `cannot be changed from ${was} to DRAFT`);
}

const formatOf = (post: Post): string => (post.urn.startsWith('urn:li:ugcPost:') ? 'SINGLE_VIDEO' : 'STANDARD_UPDATE');

function checkPost({ account }: Scene, { campaign, post }: { campaign: Entity; post: Post }): void {
  const { associatedEntity, format, objectiveType } = campaign.fields;
  if (associatedEntity !== undefined && associatedEntity !== organizationUrn(post.organizationId))
    throw unprocessable('content/reference', 'the author is not the associated entity of the campaign');
  if (!isSponsoredBy(post, account.id)) throw unprocessable('content/reference', 'belongs to another ad account');
  if (format !== undefined && format !== formatOf(post))
    throw unprocessable('content/reference', `does not fit the campaign format ${String(format)}`);
  if (objectiveType === 'WEBSITE_VISIT' && post.fields['contentLandingPage'] === undefined)
    throw unprocessable('content/reference', 'a landing page is required for the objective WEBSITE_VISIT');
}

function checkForm({ sandbox, account }: Scene, campaign: Entity, fields: Fields): void {
  const action = fields['leadgenCallToAction'] as Fields | undefined;
  if (campaign.fields['objectiveType'] === 'LEAD_GENERATION' && action === undefined)
    throw unprocessable('leadgenCallToAction', 'field is required for the objective LEAD_GENERATION');
  if (action === undefined) return;
  const form = sandbox.forms.get(idOf(action['destination'], 'adForm') ?? '');
  if (form?.accountId !== account.id) throw unprocessable('leadgenCallToAction/destination', 'does not exist');
}

function checkCounts({ sandbox, account, before }: Scene, fields: Fields): void {
  const limited = (message: string): RestError => unprocessable('campaign', message, 'LIMIT_EXCEEDED');
  if (!before && sandbox.below(keyOf.account(account.id, 'creative')).length >= most.inAccount)
    throw limited(`the ad account already has ${most.inAccount} creatives`);
  const others = entitiesOf(sandbox, sandbox.below(keyOf.parent(String(fields['campaign'])))).filter(
    ({ id }) => id !== before?.id,
  );
  if (!before && others.length >= most.inCampaign)
    throw limited(`the campaign already has ${most.inCampaign} creatives`);
  const active = others.filter((other) => other.fields['intendedStatus'] === 'ACTIVE').length;
  if (fields['intendedStatus'] === 'ACTIVE' && active >= most.active)
    throw limited(`the campaign already has ${most.active} active creatives`);
}

/** The first creative determines the format of a campaign without one. */
export function determineFormat(sandbox: SandboxState, creative: Entity): void {
  const campaign = entityAt(sandbox, creative.fields['campaign'], 'campaign');
  const post = sandbox.posts.get(String((creative.fields['content'] as Fields)['reference']));
  if (!campaign || !post || campaign.fields['format'] !== undefined) return;
  sandbox.save({ ...campaign, fields: { ...campaign.fields, format: formatOf(post) } });
}

/** A creative with inline content. */
export const inlineShape = record({
  fields: {
    campaign: urn('sponsoredCampaign'),
    intendedStatus: text(),
    name: filled(255),
    leadgenCallToAction: () => [],
    inlineContent: record({ fields: { post: () => [] }, required: ['post'] }),
  },
  required: ['campaign', 'intendedStatus', 'inlineContent'],
});
