import { checkLength, flag, longList, pick, required } from './checks.ts';
import { live } from './campaigns.ts';
import { forbidden, invalid, notFound, refused } from './errors.ts';
import { addressesIn, weightOf } from './text-weight.ts';
import type { AdAccount, Params, Thing, SandboxState } from './state.ts';

const heaviest = 280;
const maxTweetIds = 50;

export function makeTweet(sandbox: SandboxState, account: AdAccount, params: Params): Thing {
  const author = required(params, 'as_user_id');
  const isFull = account.promotable.some(({ userId, type }) => userId === author && type === 'FULL');
  if (!isFull) throw forbidden('USER_NOT_FOUND', `${author} is no full promotable user of the account`);
  const text = required(params, 'text');
  // Unconfirmed: the code for a tweet that is too long.
  if (weightOf(text) > heaviest) throw invalid('text', `The text weighs more than ${heaviest}`, text);
  if (text.trim() === '') throw refused('TWEET_CANNOT_BE_BLANK', 'The text is blank', 'text');
  checkLength(params, 'name', 80);
  if (params['card_uri']) throw notFound('CARD', params['card_uri'], 'card_uri');
  if (params['media_keys']) throw notFound('ACCOUNT_MEDIA', params['media_keys'], 'media_keys');
  const isNullcast = flag(params, 'nullcast', true);
  flag(params, 'trim_user', false);
  const same = sandbox.sameText(author, text);
  if (same) throw refused('DUPLICATE_TWEET', 'This text was published already', 'text');
  const fields = { ...pick(params, ['name', 'text']), nullcast: String(isNullcast) };
  return sandbox.add({ kind: 'tweet', accountId: account.id, parentId: author, fields });
}

function requireTweet(sandbox: SandboxState, account: AdAccount, id: string): Thing {
  const tweet = sandbox.things.get(id);
  const mayPromote = account.promotable.some(({ userId }) => userId === tweet?.parentId);
  if (tweet?.kind !== 'tweet' || !mayPromote) throw notFound('TWEET', id, 'tweet_ids');
  return tweet;
}

/** Creates one ad per tweet; atomic. */
export function promote(sandbox: SandboxState, account: AdAccount, params: Params): Thing[] {
  const item = live(sandbox, account, { kind: 'line_item', id: required(params, 'line_item_id') });
  required(params, 'tweet_ids');
  const tweets = (longList(params, 'tweet_ids', maxTweetIds) ?? []).map((id) => requireTweet(sandbox, account, id));
  const promoted = new Set(
    sandbox
      .below('promoted_tweet', item.id)
      .map((id) => sandbox.things.get(id))
      .filter((ad) => ad && !ad.isDeleted)
      .map((ad) => ad?.fields['tweet_id']),
  );
  for (const tweet of tweets) {
    checkFit(item, tweet);
    // Unconfirmed: the code for a tweet that the line item already promotes.
    if (promoted.has(tweet.id))
      throw refused('DUPLICATE_PROMOTABLE_ENTITY', `${tweet.id} is promoted by ${item.id} already`, 'tweet_ids');
  }
  return tweets.map(({ id }) => {
    const fields = { tweet_id: id, entity_status: 'ACTIVE' };
    return sandbox.add({ kind: 'promoted_tweet', accountId: account.id, parentId: item.id, fields });
  });
}

/** Unconfirmed: the code for a tweet that does not match its objective. */
function checkFit(item: Thing, tweet: Thing): void {
  const { objective } = item.fields;
  const hasLink = addressesIn(tweet.fields['text'] ?? '').length > 0;
  if (objective === 'WEBSITE_CLICKS' && !hasLink)
    throw refused('INVALID_TWEET', 'WEBSITE_CLICKS needs a link or a website card in the text', 'tweet_ids');
  if (/^(VIDEO|PREROLL)_VIEWS$/.test(objective ?? ''))
    throw refused('INVALID_TWEET', `${objective} needs a video with the text`, 'tweet_ids');
}
