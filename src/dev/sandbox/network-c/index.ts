import { consentOf } from '../oauth/auth-server.ts';
import type { MakePlatform, Received, Reply, SimulatedPlatform } from '../platform.ts';
import type { Asked } from './request.ts';
import { oneOfIn, requireId, requireOneOf, type Body } from './checks.ts';
import { createControl } from './control.ts';
import { envelope, failWith, VendorError, wrong } from './errors.ts';
import { fileAddress, showFiles, uploadImage, uploadVideo } from './files.ts';
import { createIdentity, listIdentities, listPosts, showOnePost } from './identities.ts';
import {
  advertiserInfo,
  advertiserOf,
  exchangeCode,
  listAdvertisers,
  createPerson,
  holderOf,
  requireGrant,
  userInfo,
} from './people.ts';
import { interests, languages, levelRanges, regionInfo } from './places.ts';
import { createRate, type CountedCall } from './rate.ts';
import { list } from './read.ts';
import { report } from './report.ts';
import { secondaryStatus } from './status.ts';
import { createState, type SandboxState } from './state.ts';
import {
  createAdGroup,
  createAds,
  createCampaign,
  making,
  updateAdGroup,
  updateAds,
  updateCampaign,
  updateStatus,
} from './write.ts';

/** Routes that require a token and one advertiser. The trailing slash is part of the path. */
const routes: Record<string, (asked: Asked) => unknown> = {
  'GET campaign/get/': (asked) => list(asked, 'campaign'),
  'GET adgroup/get/': (asked) => list(asked, 'adgroup'),
  'GET ad/get/': (asked) => list(asked, 'ad'),
  'POST campaign/create/': createCampaign,
  'POST adgroup/create/': createAdGroup,
  'POST ad/create/': createAds,
  'POST campaign/update/': updateCampaign,
  'POST adgroup/update/': updateAdGroup,
  'POST ad/update/': updateAds,
  'POST campaign/status/update/': (asked) => updateStatus(asked, 'campaign'),
  'POST adgroup/status/update/': (asked) => updateStatus(asked, 'adgroup'),
  'POST ad/status/update/': (asked) => updateStatus(asked, 'ad'),
  'POST identity/create/': createIdentity,
  'GET identity/get/': listIdentities,
  'GET identity/video/get/': listPosts,
  'GET identity/video/info/': showOnePost,
  'POST file/video/ad/upload/': uploadVideo,
  'POST file/image/ad/upload/': uploadImage,
  'GET file/video/ad/info/': (asked) => showFiles(asked, 'video'),
  'GET file/image/ad/info/': (asked) => showFiles(asked, 'image'),
  'GET tool/region/': showRegions,
  'GET tool/interest_category/': ({ query }) => {
    oneOfIn(query, 'version', ['1', '2']);
    return { interest_categories: interests };
  },
  'GET tool/language/': () => ({ languages }),
  'GET report/integrated/get/': report,
};
const personal = ['GET oauth2/advertiser/get/', 'GET advertiser/info/', 'GET user/info/'];
const signIn = 'POST oauth2/access_token/';
const paths = new Set([...Object.keys(routes), ...personal, signIn].map((route) => route.split(' ')[1]));

function showRegions({ query }: Asked): Body {
  requireOneOf(
    query,
    'objective_type',
    'REACH TRAFFIC VIDEO_VIEWS ENGAGEMENT LEAD_GENERATION WEB_CONVERSIONS APP_PROMOTION PRODUCT_SALES RF_REACH'.split(
      ' ',
    ),
  );
  if (!query['placements']) throw wrong('placements: Missing data for required field.');
  const info = regionInfo(oneOfIn(query, 'level_range', levelRanges) ?? 'ALL');
  return { region_list: info.map(({ location_id: id }) => id), region_info: info };
}

/** The short-video network's business API. */
export const createNetworkC: MakePlatform = (state): SimulatedPlatform => {
  const sandbox = createState(state);
  const count = createRate(sandbox);
  return {
    name: 'network-c',
    failWith,
    control: createControl(sandbox),
    making: ({ path, body }) => making(path, body),
    ...consentOf(sandbox, (name) => createPerson(sandbox, { name })),
    fetches: fileAddress,
    answer(request) {
      try {
        return answer(sandbox, request, count);
      } catch (error) {
        if (error instanceof VendorError) return envelope({ code: error.code, message: error.message });
        throw error;
      }
    },
    holds: () => [
      { kind: 'campaigns', rows: rows(sandbox, 'campaign') },
      { kind: 'ad groups', rows: rows(sandbox, 'adgroup') },
      { kind: 'ads', rows: rows(sandbox, 'ad') },
    ],
  };
};

/** The page counts further rows without showing them. */
const shownRows = 50;

const rows = (sandbox: SandboxState, kind: 'campaign' | 'adgroup' | 'ad'): Body[] =>
  sandbox
    .all()
    .filter((thing) => thing.kind === kind)
    .toReversed()
    .map((thing, place) =>
      place < shownRows ? { name: thing.fields[`${kind}_name`], status: secondaryStatus(sandbox, thing) } : {},
    );

function answer(sandbox: SandboxState, request: Received, count: (call: CountedCall) => void): Reply {
  const { method, path, headers, query, body } = request;
  const [, version, rest = ''] = /^\/open_api\/(v[\d.]+)\/(.*)$/.exec(path) ?? [];
  if (!paths.has(rest)) return { status: 404, body: '404 page not found' };
  if (version !== 'v1.3') throw new VendorError(40051, `The version ${version} is not supported.`);
  const route = `${method} ${rest}`;
  const isKnown = route in routes || personal.includes(route) || route === signIn;
  if (!isKnown) return { status: 405, body: '405 method not allowed' };
  if (method === 'POST') checkForm(request);
  if (route === signIn) return envelope({ data: exchangeCode(sandbox, request) });
  const holder = holderOf(sandbox, headers['access-token']);
  requireGrant(holder, route);
  const { person, clientId: app = 'app' } = holder;
  const call = { app, path: rest };
  if (personal.includes(route)) count(call);
  if (route === 'GET oauth2/advertiser/get/') return envelope({ data: listAdvertisers(sandbox, person, request) });
  if (route === 'GET advertiser/info/') return envelope({ data: advertiserInfo(sandbox, person, request) });
  if (route === 'GET user/info/') return envelope({ data: userInfo(person) });
  const advertiser = advertiserOf(sandbox, person, requireId(method === 'GET' ? query : body, 'advertiser_id'));
  count({ ...call, advertiserId: advertiser.id });
  if (method === 'POST' && advertiser.status !== 'STATUS_ENABLE') {
    throw wrong(`The advertiser is in the status ${advertiser.status}, which does not allow this operation.`);
  }
  return envelope({ data: routes[route]?.({ ...request, sandbox, person, advertiser }) });
}

/** Bodies are JSON, uploads of files multipart. */
function checkForm({ headers, json, path }: Received): void {
  const type = headers['content-type'] ?? '';
  if (type.includes('multipart/') && path.includes('/upload/')) return;
  const isObject = json !== null && typeof json === 'object' && !Array.isArray(json);
  if (!type.includes('application/json') || !isObject) throw wrong('The request body must be a JSON object.');
}
