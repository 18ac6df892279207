import { addCriterion, batch } from './targeting.ts';
import { changeCampaign, changeLineItem, live, makeCampaign, makeLineItem, remove } from './campaigns.ts';
import { denomination, list, oneOf, optionalOneOf, required } from './checks.ts';
import { AdsError, forbidden, methodNotAllowed, notFound } from './errors.ts';
import { listThings, pageOf, type Listing } from './listing.ts';
import { createAccount } from './people.ts';
import { interests, languages, locations } from './places.ts';
import { show, showAccount, showFunding, showPromotable } from './serialize.ts';
import { activeEntities, reachOfCampaigns, statsOf } from './stats.ts';
import { originOf, readJobs, startJob } from './stats-jobs.ts';
import { makeTweet, promote } from './tweets.ts';
import type { AdAccount, Kind, Params, Person, Thing, SandboxState } from './state.ts';

export interface Asked {
  sandbox: SandboxState;
  person: Person;
  params: Params;
  json: unknown;
  url: string;
}

interface Call extends Asked {
  account: AdAccount;
  id: string;
}

type Handler = (call: Call) => object;

const one = (sandbox: SandboxState, thing: Thing): object => ({ data: show(sandbox, thing) });
const listed =
  (kind: Kind): Handler =>
  ({ sandbox, account, params }) =>
    listThings(sandbox, account, { kind, params });
const read =
  (kind: Kind): Handler =>
  ({ sandbox, account, id, params }) => {
    const deleted = params['with_deleted'] === 'true' ? sandbox.things.get(id) : undefined;
    const isOwn = deleted?.kind === kind && deleted.accountId === account.id;
    return one(sandbox, isOwn ? deleted : live(sandbox, account, { kind, id }));
  };
const removed =
  (kind: Kind): Handler =>
  ({ sandbox, account, id }) =>
    one(sandbox, remove(sandbox, live(sandbox, account, { kind, id })));
const made =
  (make: (sandbox: SandboxState, account: AdAccount, params: Params) => Thing): Handler =>
  ({ sandbox, account, params }) =>
    one(sandbox, make(sandbox, account, params));
const changed =
  (kind: Kind, change: typeof changeCampaign): Handler =>
  ({ sandbox, account, id, params }) =>
    one(sandbox, change(sandbox, live(sandbox, account, { kind, id }), { account, params }));

const accountsOf = ({ sandbox, person, params }: Call): Listing => {
  const [ids, q] = [list(params, 'account_ids', 200), params['q']?.toLowerCase()];
  const own = sandbox.accounts.all().filter(({ userId }) => userId === person.id);
  const keep = ({ id, name }: AdAccount): boolean =>
    (!ids || ids.includes(id)) && (q === undefined || name.toLowerCase().startsWith(q));
  return pageOf(params, { items: own, keep, show: showAccount });
};

const locationsOf = ({ params }: Call): Listing => {
  const type = optionalOneOf(params, 'location_type', ['CITIES', 'COUNTRIES', 'METROS', 'POSTAL_CODES', 'REGIONS']);
  const [country, q] = [params['country_code']?.toUpperCase(), params['q']?.toLowerCase()];
  const keep = (place: (typeof locations)[number]): boolean =>
    (!type || place.location_type === type) &&
    (!country || place.country_code === country) &&
    (q === undefined || place.name.toLowerCase().includes(q));
  return pageOf(params, { items: locations, keep, show: (place) => place });
};

const languagesOf = ({ params }: Call): Listing => {
  const q = params['q']?.toLowerCase();
  const keep = ({ name }: (typeof languages)[number]): boolean => q === undefined || name.toLowerCase().includes(q);
  return pageOf(params, { items: languages, keep, show: (language) => language });
};

const interestsOf = ({ params }: Call): Listing => {
  const q = params['q']?.toLowerCase();
  const keep = ({ name }: (typeof interests)[number]): boolean => q === undefined || name.toLowerCase().includes(q);
  return pageOf(params, { items: interests, keep, show: (interest) => interest });
};

const biddingRules = ({ params }: Call): object => {
  const currency = required(params, 'currency');
  const minimum_denomination = denomination(currency);
  const bids = { minimum_cpe_bid_local_micro: minimum_denomination, maximum_cpe_bid_local_micro: 1_000_000_000 };
  return { data: [{ currency, minimum_denomination, ...bids }], data_type: 'bidding_rule' };
};

const tweetsOf: Handler = (call) => {
  oneOf(call.params, 'tweet_type', ['DRAFT', 'PUBLISHED', 'SCHEDULED']);
  return listThings(call.sandbox, call.account, { kind: 'tweet', params: call.params });
};

const promoted: Handler = ({ sandbox, account, params }) => {
  const ads = promote(sandbox, account, params);
  return { data: ads.map((ad) => show(sandbox, ad)), total_count: ads.length };
};

const criteriaOf: Handler = (call) => {
  required(call.params, 'line_item_ids');
  return listThings(call.sandbox, call.account, { kind: 'targeting_criterion', params: call.params });
};

/** Accounts can also be created in the upstream's own sandbox. */
const newAccount: Handler = ({ sandbox, person }) => ({ data: showAccount(createAccount(sandbox, person, 'USD')) });

const fundingOf: Handler = ({ account, params }) => {
  const ids = list(params, 'funding_instrument_ids', 200);
  const keep = ({ id }: { id: string }): boolean => !ids || ids.includes(id);
  return pageOf(params, { items: account.funding, keep, show: showFunding });
};

const oneFunding: Handler = ({ account, id }) => {
  const funding = account.funding.find((own) => own.id === id);
  if (!funding) throw notFound('FUNDING_INSTRUMENT', id);
  return { data: showFunding(funding) };
};

const routes: Record<string, Handler> = {
  'GET accounts': accountsOf,
  'POST accounts': newAccount,
  'GET accounts/:account': ({ account }) => ({ data: showAccount(account) }),
  'GET accounts/:account/authenticated_user_access': ({ person }) => ({
    data: { user_id: person.id, permissions: ['ACCOUNT_ADMIN'] },
  }),
  'GET accounts/:account/funding_instruments': fundingOf,
  'GET accounts/:account/funding_instruments/:id': oneFunding,
  'GET accounts/:account/promotable_users': ({ account, params }) =>
    pageOf(params, { items: account.promotable, show: (user) => showPromotable(account, user) }),
  'GET accounts/:account/tweets': tweetsOf,
  'POST accounts/:account/tweet': made(makeTweet),
  'GET accounts/:account/campaigns': listed('campaign'),
  'POST accounts/:account/campaigns': made(makeCampaign),
  'GET accounts/:account/campaigns/:id': read('campaign'),
  'PUT accounts/:account/campaigns/:id': changed('campaign', changeCampaign),
  'DELETE accounts/:account/campaigns/:id': removed('campaign'),
  'GET accounts/:account/line_items': listed('line_item'),
  'POST accounts/:account/line_items': made(makeLineItem),
  'GET accounts/:account/line_items/:id': read('line_item'),
  'PUT accounts/:account/line_items/:id': changed('line_item', changeLineItem),
  'DELETE accounts/:account/line_items/:id': removed('line_item'),
  'GET accounts/:account/promoted_tweets': listed('promoted_tweet'),
  'POST accounts/:account/promoted_tweets': promoted,
  'GET accounts/:account/promoted_tweets/:id': read('promoted_tweet'),
  'DELETE accounts/:account/promoted_tweets/:id': removed('promoted_tweet'),
  'GET accounts/:account/targeting_criteria': criteriaOf,
  'POST accounts/:account/targeting_criteria': made(addCriterion),
  'GET accounts/:account/targeting_criteria/:id': read('targeting_criterion'),
  'DELETE accounts/:account/targeting_criteria/:id': removed('targeting_criterion'),
  'POST batch/accounts/:account/targeting_criteria': ({ sandbox, account, json }) => ({
    data: batch(sandbox, account, json).map((thing) => show(sandbox, thing)),
  }),
  'GET stats/accounts/:account': ({ sandbox, account, params }) => statsOf(sandbox, account, params),
  'GET stats/accounts/:account/active_entities': ({ sandbox, account, params }) =>
    activeEntities(sandbox, account, params),
  'GET stats/accounts/:account/reach/:id': ({ sandbox, account, params, id }) =>
    reachOfCampaigns(sandbox, account, { params, kind: id }),
  'POST stats/jobs/accounts/:account': ({ sandbox, account, params }) => startJob(sandbox, account, params),
  'GET stats/jobs/accounts/:account': ({ sandbox, account, params, url }) =>
    readJobs(sandbox, account, { params, origin: originOf(url) }),
  'GET targeting_criteria/locations': locationsOf,
  'GET targeting_criteria/interests': interestsOf,
  'GET targeting_criteria/languages': languagesOf,
  'GET bidding_rules': biddingRules,
};

/** Splits a path into its pattern and its account and object ids. */
export function partsOf(path: string): { pattern: string; accountId?: string; id?: string } {
  const parts = path.split('/').filter(Boolean);
  const at = parts.indexOf('accounts');
  if (at === -1) return { pattern: parts.join('/') };
  const [accountId, id] = [parts[at + 1], parts[at + 3]];
  const pattern = parts
    .map((part, place) => (place === at + 1 ? ':account' : place === at + 3 ? ':id' : part))
    .join('/');
  return { pattern, accountId, id };
}

/** Dispatches a path below the version. */
export function route(asked: Asked, method: string, path: string): object {
  const { pattern, accountId, id = '' } = partsOf(path);
  const handler = routes[`${method} ${pattern}`];
  const isKnown = ['GET', 'POST', 'PUT', 'DELETE'].some((other) => routes[`${other} ${pattern}`]);
  if (!handler)
    throw isKnown ? methodNotAllowed() : new AdsError(404, { code: 'ROUTE_NOT_FOUND', message: `No route ${path}` });
  return handler({ ...asked, account: accountOf(asked, accountId), id });
}

const none: AdAccount = {
  id: '',
  userId: '',
  name: '',
  currency: '',
  timezone: '',
  createdAt: '',
  funding: [],
  promotable: [],
  webEventTagId: '',
  audiences: [],
};

function accountOf({ sandbox, person }: Asked, id: string | undefined): AdAccount {
  if (id === undefined) return none;
  const account = sandbox.accounts.get(id);
  if (account?.userId !== person.id)
    throw forbidden('ACCOUNT_NOT_FOUND', `The account ${id} was not found, or is not open to this user`);
  return account;
}
