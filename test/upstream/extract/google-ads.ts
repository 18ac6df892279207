import type { Operation, Schema } from '../facts.ts';
import { objectOf, repository, writeFacts } from './facts.ts';
import { oauthSource, tokenOperation } from './oauth.ts';
import { camel, parseProto, schemaOf, type Protos } from './protos.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Fields of other types count as unknown until they are listed here. */
const messages = new Set(
  words(`
    Ad AdImageAsset AdTextAsset AgeRangeInfo CallToActionAsset Campaign.GeoTargetTypeSetting Campaign.NetworkSettings
    DeviceInfo GenderInfo ImageAsset KeywordInfo LanguageInfo LocationInfo ManualCpc ManualCpm MaximizeConversions ResponsiveDisplayAdInfo
    ResponsiveSearchAdInfo SuggestGeoTargetConstantsRequest.LocationNames TargetImpressionShare TargetSpend UserInterestInfo
    UserListInfo MutateOperation
  `),
);
const resources = words('Campaign CampaignBudget AdGroup AdGroupAd AdGroupCriterion CampaignCriterion Asset Ad');
/** Fields that the service queries. */
const queried = words(`
  ad_group.cpm_bid_micros ad_group.id ad_group.name ad_group.status ad_group_ad.ad.id ad_group_ad.ad_group ad_group_ad.resource_name
  ad_group_ad.policy_summary.approval_status ad_group_ad.policy_summary.policy_topic_entries ad_group_ad.policy_summary.review_status
  ad_group_ad.ad.final_url_suffix ad_group_ad.status campaign.advertising_channel_type campaign.bidding_strategy_type campaign.campaign_budget
  campaign.contains_eu_political_advertising campaign.end_date_time campaign.id campaign.maximize_conversions.target_cpa_micros campaign.name campaign.start_date_time
  campaign.status campaign.target_impression_share.cpc_bid_ceiling_micros campaign.target_spend.cpc_bid_ceiling_micros
  campaign_budget.amount_micros campaign_budget.explicitly_shared campaign_budget.period campaign_budget.total_amount_micros
  campaign_budget.reference_count
  customer.currency_code customer.descriptive_name customer.id customer.manager customer.status customer.time_zone
  customer_client.currency_code customer_client.descriptive_name customer_client.id customer_client.manager customer_client.status
  customer_client.time_zone language_constant.code language_constant.id language_constant.name language_constant.targetable
  geo_target_constant.id geo_target_constant.name
  ad_group_criterion.age_range.type ad_group_criterion.gender.type
  geographic_view.country_criterion_id geographic_view.location_type
  metrics.average_impression_frequency_per_user metrics.clicks metrics.conversions metrics.conversions_value metrics.cost_micros
  metrics.impressions metrics.interactions metrics.unique_users metrics.video_quartile_p100_rate metrics.video_quartile_p25_rate
  metrics.video_quartile_p50_rate metrics.video_quartile_p75_rate metrics.video_trueview_views
  segments.ad_network_type segments.date segments.device
  user_interest.launched_to_all user_interest.name user_interest.taxonomy_type user_interest.user_interest_id
  user_list.id user_list.name user_list.membership_status
`);

/** The argument is a clone of googleapis/googleapis. */
const repo = repository(process.argv[2] ?? '');
const version = 'v25';
const root = `google/ads/googleads/${version}`;
const protos: Protos = { messages: new Map(), enums: new Map() };
const files = repo.list(root).filter((file) => /\/(common|resources|enums|errors)\//.test(file));
const services = words(
  'google_ads campaign campaign_budget ad_group ad_group_ad ad_group_criterion campaign_criterion asset',
)
  .concat('geo_target_constant')
  .map((name) => `${root}/services/${name}_service.proto`);
repo.readAll([...files, ...services]).forEach((text) => parseProto(text, protos));

const [, oauthScope] = /oauth_scopes\) = "([^"]+)"/.exec(repo.read(`${root}/services/google_ads_service.proto`)) ?? [];
const $defs: Record<string, Schema> = {};
for (const name of messages) $defs[name] = schemaOf(name, protos, { messages });
for (const name of resources) {
  const known = new Set([...messages, name]);
  $defs[name] = schemaOf(name, protos, { messages: known });
  $defs[`${name}Update`] = schemaOf(name, protos, { messages: known, isUpdate: true });
  const fields = Object.keys(($defs[`${name}Update`] as { properties: object }).properties).join('|');
  const ref = (schema: string): Schema => ({ $ref: `#/$defs/${schema}` });
  // The content of an ad can only be updated: it is created and removed with its place in an ad group.
  const isContent = name === 'Ad';
  $defs[`${name}Operation`] = {
    ...objectOf({
      ...(!isContent && { create: ref(name) }),
      update: ref(`${name}Update`),
      ...(!isContent && { remove: { type: 'string' } }),
      updateMask: { type: 'string', pattern: `^(${fields})(\\.\\w+)*(,(${fields})(\\.\\w+)*)*$` },
    }),
    atMostOneOf: [['create', 'update', 'remove']],
    dependencies: { update: ['updateMask'] },
  };
}
// The description calls the image read-only, yet Google's own samples upload images by it (misc/upload_image_asset).
const image = { imageAsset: { $ref: '#/$defs/ImageAsset' } };
Object.assign($defs['Asset']?.['properties'] as object, image);
$defs['MutateOperation'] = {
  ...objectOf(
    Object.fromEntries(
      resources.map((name) => [
        `${name[0]?.toLowerCase()}${name.slice(1)}Operation`,
        { $ref: `#/$defs/${name}Operation` },
      ]),
    ),
  ),
  minProperties: 1,
  maxProperties: 1,
};

/** `ad_group_ad.policy_summary.review_status` leads through the messages of the row. */
function typeOfPath(path: string): string[] | string {
  let message = 'GoogleAdsRow';
  let type = '';
  for (const step of path.split('.')) {
    const field = protos.messages.get(message)?.fields.find(({ name }) => name === step);
    if (!field) throw new Error(`${path} does not exist in ${version}`);
    type = field.type;
    const last = type.split('.').at(-1) ?? '';
    message = protos.messages.has(`${message}.${last}`) ? `${message}.${last}` : last;
  }
  return protos.enums.get(type.split('.').slice(-2).join('.')) ?? type.split('.').at(-1) ?? type;
}

const requestOf = (name: string, path: string[]): Schema => {
  const { properties, ...schema } = schemaOf(name, protos, { messages }) as any;
  const inBody = Object.entries(properties).filter(([field]) => !path.includes(field));
  return {
    ...schema,
    properties: Object.fromEntries(inBody),
    required: schema.required?.filter((field: string) => !path.includes(field)),
  };
};
const mutate = requestOf('MutateGoogleAdsRequest', ['customerId']);
const search = requestOf('SearchGoogleAdsRequest', ['customerId']) as { properties: Record<string, Schema> };
search.properties['query'] = { type: 'string', gaql: true };
const type = 'application/json';
const operations: Record<string, Operation> = {
  [`GET /${version}/customers:listAccessibleCustomers`]: {},
  [`POST /${version}/customers/{customer_id}/googleAds:search`]: { type, body: search },
  [`POST /${version}/customers/{customer_id}/googleAds:mutate`]: { type, body: mutate },
  [`POST /${version}/geoTargetConstants:suggest`]: { type, body: requestOf('SuggestGeoTargetConstantsRequest', []) },
  'POST /token': tokenOperation('body'),
};
/** Families of which the adapter or the sandbox names a code. */
const families = words(`
  Ad AdGroup Asset AssetLink Authentication Authorization Bidding CampaignBudget Campaign CollectionSize Context Criterion CurrencyCode
  Customer Date DateRange DatabaseError Enum FieldError FieldMask Header Image Internal Mutate NewResourceCreation NotAllowlisted
  OperationAccessDenied PolicyFinding Query Quota Range Request SizeLimit ResourceAccessDenied ResourceCountLimitExceeded StringLength UrlField
`);
const errors = Object.fromEntries(
  families.flatMap((family) => {
    const name = family.endsWith('Error') ? family : `${family}Error`;
    const values = protos.enums.get(`${name}Enum.${name}`);
    return values ? [[camel(`${name[0]?.toLowerCase()}${name.slice(1)}`), values]] : [];
  }),
);
writeFacts('google-ads', {
  sources: [
    {
      name: `googleapis/googleapis, ${root}`,
      version: `${version}, commit ${repo.commit}`,
      date: repo.date,
      proves: 'paths, messages, enums, required, immutable and output-only fields, queried fields, error codes',
    },
    oauthSource,
  ],
  operations,
  queryFields: Object.fromEntries(queried.map((path) => [path, typeOfPath(path)])),
  $defs,
  errors,
  // The others are of OpenID Connect Core, section 5.4.
  scopes: [...(oauthScope ? [oauthScope] : []), 'openid', 'profile', 'email'],
});
