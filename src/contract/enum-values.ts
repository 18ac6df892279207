import { activityValues } from './activity.ts';
import { categoriesInWords } from './ad-declarations.ts';
import { reportEnumValues } from './reporting/enum-values.ts';
import { webhookEnumValues } from './webhook-values.ts';

const adPlatforms = {
  A: 'Social and photo-sharing networks',
  B: 'Search and display ads',
  C: 'Pin-board',
  D: 'Short-video network',
  E: 'Microblog',
  F: 'Professional network',
};

const accountPlatforms = {
  'network-a': 'A page of the social network; ads on platform A',
  'network-b': 'An account of the photo-sharing network; ads on platform A',
  'search-display': 'A manager or client of search and display ads; ads on platform B',
  'pin-board': 'A pin-board; ads on platform C',
  'network-c': 'An account of the short-video network; ads on platform D',
  microblog: 'An account of the microblog; ads on platform E',
  professional: 'A person or company of the professional network; ads on platform F',
  'ephemeral-messaging': 'A public profile of the messaging app',
  listing: 'Listings of a business in search and maps',
};

const creativeCallsToAction = {
  LEARN_MORE: 'Learn more',
  SHOP_NOW: 'Shop now',
  SIGN_UP: 'Sign up',
  BOOK_TRAVEL: 'Book now',
  CONTACT_US: 'Contact us',
  DOWNLOAD: 'Download',
  GET_OFFER: 'Get offer',
  GET_QUOTE: 'Get quote',
  SUBSCRIBE: 'Subscribe',
  WATCH_MORE: 'Watch more',
};

const budgetLevels = { ad_set: 'The ad set', campaign: 'The campaign' };

/** What each value of each enum means, by the id of the enum; both APIs publish it. */
export const enumValues: Record<string, Record<string, string>> = {
  ...reportEnumValues,
  ...webhookEnumValues,
  AccountPlatform: accountPlatforms,
  AdPlatform: adPlatforms,
  AdStatus: {
    creating: 'The platform is being called',
    active: 'It can be shown',
    paused: 'It is paused, or its ad set or campaign is',
    pending_review: 'The platform reviews it',
    rejected: 'The platform rejected it in its review',
    completed: 'Its schedule or its campaign has ended',
    cancelled: 'It no longer exists at the platform',
    error: 'It could not be created; `rejectionReason` says why',
    unconfirmed: 'The platform did not answer, so it may exist; it is being reconciled',
  },
  ...activityValues,
  AdType: { standalone: 'An ad of its own', boost: 'A post that exists and is promoted' },
  AttemptOutcome: {
    success: 'The receiver answered with 2xx',
    failure: 'The receiver answered with another status, or not at all',
    unknown: 'The worker ended before the outcome was known',
  },
  AttributionEvent: {
    CLICK_THROUGH: 'A click on the ad',
    VIEW_THROUGH: 'A view of the ad',
    ENGAGED_VIDEO_VIEW: 'A longer view of the video',
  },
  BidStrategy: {
    LOWEST_COST_WITHOUT_CAP: 'As many results as the budget buys',
    LOWEST_COST_WITH_BID_CAP: 'Never bids more than `bidAmount`',
    COST_CAP: 'Keeps the average cost of a result at `bidAmount`',
    LOWEST_COST_WITH_MIN_ROAS: 'Keeps the return on spend at `roasAverageFloor` or above',
  },
  BudgetLevel: budgetLevels,
  BudgetType: { daily: 'Per day', lifetime: 'For the whole run' },
  CallToAction: {
    ...creativeCallsToAction,
    REGISTER: 'Register',
    JOIN: 'Join',
    ATTEND: 'Attend',
    REQUEST_DEMO: 'Request demo',
    VIEW_QUOTE: 'View quote',
    APPLY: 'Apply',
    SEE_MORE: 'See more',
    BUY_NOW: 'Buy now',
  },
  CampaignSort: { newest: 'Newest first', oldest: 'Oldest first', name: 'By name' },
  CampaignSource: { all: 'All campaigns', own: 'Only campaigns created here' },
  CampaignType: { display: 'Responsive display ads', search: 'Search ads with keywords' },
  ConnectPlatform: { 'social-network': 'The same as `network-a`', ...accountPlatforms },
  CopiedObjectType: { campaign: 'The campaign', ad_set: 'An ad set', ad: 'An ad' },
  CopyStatusOption: {
    ACTIVE: 'All copies are active',
    PAUSED: 'All copies are paused',
    INHERITED_FROM_SOURCE: 'Each copy has the status of its source',
  },
  CreativeCallToAction: creativeCallsToAction,
  DayOfWeek: {
    MONDAY: 'Monday',
    TUESDAY: 'Tuesday',
    WEDNESDAY: 'Wednesday',
    THURSDAY: 'Thursday',
    FRIDAY: 'Friday',
    SATURDAY: 'Saturday',
    SUNDAY: 'Sunday',
  },
  DiscoveryObjectType: {
    ad_account: 'An ad account',
    campaign: 'A campaign',
    ad_set: 'An ad set',
    ad: 'An ad',
    creative: 'The creative of an ad',
    figures: 'The metrics of an object',
  },
  Device: { mobile: 'Phones', desktop: 'Desktop and laptop computers', tablet: 'Tablets' },
  DiscoveryOutcome: {
    triggered: 'A discovery is queued',
    skipped: '`syncAfter` was false',
    failed: 'The campaign is copied, but no discovery could be queued',
  },
  DiscoveryStatus: {
    queued: 'It waits for a worker',
    running: 'The platform is being read',
    completed: 'Everything that could be read was read',
    failed: 'The connection needs reauthorisation, or no ad account could be read',
  },
  DistanceUnit: { mile: 'Miles', kilometer: 'Kilometers' },
  DuplicationStatus: {
    running: 'Objects are being copied',
    completed: 'Everything is copied',
    failed: 'It ended before everything was copied; `error` says why',
  },
  EndLevel: { ...budgetLevels, both: 'Each has an end of its own' },
  Gender: { all: 'Everybody', male: 'Men', female: 'Women' },
  Goal: {
    engagement: 'Reactions, comments and other interactions',
    traffic: 'Visits of the destination',
    awareness: 'Impressions to as many people as possible',
    video_views: 'Views of the video',
    lead_generation: 'Contacts, from a form or from the website',
    conversions: 'Events on the website, such as purchases',
    app_promotion: 'Installations of an app',
  },
  HealthIssueCode: {
    token_expired: 'The platform no longer accepts the token',
    token_expiring: 'The token expires within 14 days and cannot be refreshed',
    refresh_failing: 'The last refresh of the token failed; it is retried',
    missing_permissions: 'The person did not grant scopes that calls need',
    ads_not_connected: 'The ads of the account are not connected',
    location_not_selected: 'No location is selected',
    ad_account_suspended: 'The platform restricts an ad account',
  },
  HealthStatus: {
    healthy: 'Everything works',
    attention: 'It works, but see the issues',
    broken: 'Nothing works with it until it is connected again',
  },
  IdentityType: {
    NETWORK_C_USER: 'The connected account that posts',
    CUSTOMIZED_USER: 'A custom identity with a name and a picture',
  },
  KeyPermission: {
    'read-write': 'Allows every operation',
    read: 'Allows only GET requests, queries and subscriptions',
  },
  KeyScope: { full: 'Can access all profiles of the user', profiles: 'Can access only the named profiles' },
  OpenStatus: {
    OPEN: 'It is open',
    CLOSED_PERMANENTLY: 'It has closed for good',
    CLOSED_TEMPORARILY: 'It is closed and will open again',
  },
  KeywordMatchType: {
    BROAD: 'Searches related to the keyword. As a negative keyword: searches with all of its words, in any order',
    PHRASE: 'Searches with the meaning of the keyword. As a negative keyword: searches with its words in this order',
    EXACT: 'Searches with the same meaning. As a negative keyword: this search only',
  },
  Plan: {
    free: 'Free; ads need the add-on `ads`',
    build: 'Build; ads need the add-on `ads`',
    accelerate: 'Accelerate; ads need the add-on `ads`',
    unlimited: 'Unlimited; ads need the add-on `ads`',
    'usage-based': 'Billed by usage; includes ads',
  },
  RenameStrategy: {
    DEEP_RENAME: 'All names get prefix and suffix',
    ONLY_TOP_LEVEL_RENAME: 'Only the name of the campaign gets them',
    NO_RENAME: 'No name gets them',
  },
  RequestShape: {
    legacy: 'One ad in a campaign of its own',
    multiCreative: 'Several ads in one campaign, with `creatives`',
    attach: 'One more ad in an existing ad set, with `adSetId`',
  },
  RequestedStatus: { ACTIVE: 'It can be shown', PAUSED: 'It is paused' },
  ServiceBusinessType: {
    CUSTOMER_LOCATION_ONLY: 'Only where the customers are',
    CUSTOMER_AND_BUSINESS_LOCATION: 'Where the customers are and at the business',
  },
  SpecialAdCategory: categoriesInWords,
  StartPrecision: {
    instant: 'At the second',
    day: 'At the start of a day of the ad account',
  },
  StopStatus: { running: 'Pausing campaigns', completed: 'Nothing is left to pause', lifted: 'No longer in force' },
  Removal: { deleted: 'Deleted at the platform', archived: 'Archived at the platform' },
  RemovalMode: {
    delete: 'Deletes the object; this cannot be undone',
    archive: 'Archives the object, which keeps it readable at the platform',
  },
  TargetingType: {
    country: 'A country',
    region: 'A state or province',
    city: 'A city',
    zip: 'A postal code',
    language: 'A language',
  },
};
