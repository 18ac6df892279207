import type { Message, Type } from './shapes.ts';

const enumOf = (values: string): Type => ({ values: `UNSPECIFIED UNKNOWN ${values}`.split(' ') });
const message = (fields: Record<string, Type>, rest: Omit<Message, 'fields'> = {}): Message => ({ fields, ...rest });
const strings: Type = { list: 'string' };

const status = enumOf('ENABLED PAUSED REMOVED');
const textAssets: Type = { list: message({ text: 'string', pinnedField: enumOf(pins()) }) };
const imageAssets: Type = { list: message({ asset: 'string' }) };
const targets = 'targetGoogleSearch targetSearchNetwork targetContentNetwork targetPartnerSearchNetwork targetYoutube';

function pins(): string {
  return 'HEADLINE_1 HEADLINE_2 HEADLINE_3 DESCRIPTION_1 DESCRIPTION_2';
}

export const schemes = {
  targetSpend: message({ cpcBidCeilingMicros: 'int64', targetSpendMicros: 'int64' }),
  maximizeConversions: message({
    targetCpaMicros: 'int64',
    cpcBidCeilingMicros: 'int64',
    cpcBidFloorMicros: 'int64',
  }),
  maximizeConversionValue: message({}),
  manualCpc: message({ enhancedCpcEnabled: 'bool' }),
  manualCpm: message({}),
  targetCpa: message({ targetCpaMicros: 'int64' }),
  targetImpressionShare: message({
    location: enumOf('ANYWHERE_ON_PAGE TOP_OF_PAGE ABSOLUTE_TOP_OF_PAGE'),
    locationFractionMicros: 'int64',
    cpcBidCeilingMicros: 'int64',
  }),
};

const campaignBudget = message(
  {
    resourceName: 'string',
    id: 'int64',
    name: 'string',
    amountMicros: 'int64',
    totalAmountMicros: 'int64',
    status: enumOf('ENABLED REMOVED'),
    deliveryMethod: enumOf('STANDARD ACCELERATED'),
    explicitlyShared: 'bool',
    referenceCount: 'int64',
    period: enumOf('DAILY CUSTOM_PERIOD'),
    type: enumOf('STANDARD FIXED_CPA SMART_CAMPAIGN LOCAL_SERVICES'),
  },
  { output: ['id', 'status', 'referenceCount'], immutable: ['resourceName', 'period', 'type'] },
);

const campaign = message(
  {
    resourceName: 'string',
    id: 'int64',
    name: 'string',
    status,
    servingStatus: 'string',
    primaryStatus: 'string',
    advertisingChannelType: enumOf(
      'SEARCH DISPLAY SHOPPING HOTEL VIDEO MULTI_CHANNEL LOCAL SMART PERFORMANCE_MAX LOCAL_SERVICES TRAVEL DEMAND_GEN',
    ),
    campaignBudget: 'string',
    biddingStrategyType: 'string',
    networkSettings: message(Object.fromEntries(targets.split(' ').map((name) => [name, 'bool' as const]))),
    geoTargetTypeSetting: message({
      positiveGeoTargetType: enumOf('PRESENCE_OR_INTEREST SEARCH_INTEREST PRESENCE'),
      negativeGeoTargetType: enumOf('PRESENCE_OR_INTEREST PRESENCE'),
    }),
    containsEuPoliticalAdvertising: enumOf(
      'CONTAINS_EU_POLITICAL_ADVERTISING DOES_NOT_CONTAIN_EU_POLITICAL_ADVERTISING',
    ),
    missingEuPoliticalAdvertisingDeclaration: 'bool',
    startDateTime: 'string',
    endDateTime: 'string',
    trackingUrlTemplate: 'string',
    finalUrlSuffix: 'string',
    ...schemes,
  },
  {
    oneof: Object.keys(schemes),
    output: ['id', 'servingStatus', 'primaryStatus', 'biddingStrategyType', 'missingEuPoliticalAdvertisingDeclaration'],
    immutable: ['resourceName', 'advertisingChannelType'],
  },
);

const adGroup = message(
  {
    resourceName: 'string',
    id: 'int64',
    name: 'string',
    status,
    type: enumOf('SEARCH_STANDARD DISPLAY_STANDARD SHOPPING_PRODUCT_ADS VIDEO_RESPONSIVE SEARCH_DYNAMIC_ADS'),
    campaign: 'string',
    cpcBidMicros: 'int64',
    cpmBidMicros: 'int64',
    targetCpaMicros: 'int64',
  },
  { output: ['id'], immutable: ['resourceName', 'type', 'campaign'] },
);

const targeting = {
  ageRange: message({
    type: enumOf(
      'AGE_RANGE_18_24 AGE_RANGE_25_34 AGE_RANGE_35_44 AGE_RANGE_45_54 AGE_RANGE_55_64 AGE_RANGE_65_UP AGE_RANGE_UNDETERMINED',
    ),
  }),
  userList: message({ userList: 'string' }),
  userInterest: message({ userInterestCategory: 'string' }),
  keyword: message({ text: 'string', matchType: enumOf('EXACT PHRASE BROAD') }),
};
const places = {
  location: message({ geoTargetConstant: 'string' }),
  language: message({ languageConstant: 'string' }),
  device: message({ type: enumOf('MOBILE TABLET DESKTOP CONNECTED_TV OTHER') }),
};
const criterion = { resourceName: 'string', criterionId: 'int64', status, negative: 'bool' } as const;
export const campaignCriterionTypes = [...Object.keys(places), ...Object.keys(targeting)];
export const adGroupCriterionTypes = Object.keys(targeting);

const campaignCriterion = message(
  { ...criterion, campaign: 'string', bidModifier: 'double', ...places, ...targeting },
  {
    oneof: campaignCriterionTypes,
    output: ['criterionId'],
    immutable: ['resourceName', 'campaign', 'negative', ...campaignCriterionTypes],
  },
);
const adGroupCriterion = message(
  { ...criterion, adGroup: 'string', cpcBidMicros: 'int64', cpmBidMicros: 'int64', ...targeting },
  {
    oneof: adGroupCriterionTypes,
    output: ['criterionId'],
    immutable: ['resourceName', 'adGroup', 'negative', ...adGroupCriterionTypes],
  },
);

const responsiveSearchAd = message({
  headlines: textAssets,
  descriptions: textAssets,
  path1: 'string',
  path2: 'string',
});
const responsiveDisplayAd = message({
  marketingImages: imageAssets,
  squareMarketingImages: imageAssets,
  logoImages: imageAssets,
  squareLogoImages: imageAssets,
  headlines: textAssets,
  longHeadline: message({ text: 'string', pinnedField: enumOf(pins()) }),
  descriptions: textAssets,
  businessName: 'string',
  mainColor: 'string',
  accentColor: 'string',
  allowFlexibleColor: 'bool',
  callToActionText: 'string',
  pricePrefix: 'string',
  promoText: 'string',
  formatSetting: enumOf('ALL_FORMATS NON_NATIVE NATIVE'),
  controlSpec: message({ enableAssetEnhancements: 'bool', enableAutogenVideo: 'bool' }),
});

export const ad = message(
  {
    resourceName: 'string',
    id: 'int64',
    type: 'string',
    name: 'string',
    finalUrls: strings,
    finalMobileUrls: strings,
    trackingUrlTemplate: 'string',
    finalUrlSuffix: 'string',
    responsiveSearchAd,
    responsiveDisplayAd,
  },
  { oneof: ['responsiveSearchAd', 'responsiveDisplayAd'], output: ['id', 'type'] },
);
const adGroupAd = message(
  { resourceName: 'string', status, adGroup: 'string', ad },
  { immutable: ['resourceName', 'adGroup', 'ad'] },
);

const asset = message(
  {
    resourceName: 'string',
    id: 'int64',
    name: 'string',
    type: enumOf('IMAGE TEXT'),
    finalUrls: strings,
    imageAsset: message({
      data: 'bytes',
      fileSize: 'int64',
      mimeType: enumOf('IMAGE_JPEG IMAGE_GIF IMAGE_PNG'),
      fullSize: message({ heightPixels: 'int64', widthPixels: 'int64', url: 'string' }),
    }),
    textAsset: message({ text: 'string' }),
  },
  {
    oneof: ['imageAsset', 'textAsset'],
    output: ['id'],
    immutable: ['resourceName', 'type', 'imageAsset', 'textAsset'],
  },
);

/** Resource kinds by path name with their message, in dependency order. */
export const kinds = {
  campaignBudgets: { one: 'campaignBudget', shape: campaignBudget },
  campaigns: { one: 'campaign', shape: campaign },
  campaignCriteria: { one: 'campaignCriterion', shape: campaignCriterion },
  adGroups: { one: 'adGroup', shape: adGroup },
  adGroupCriteria: { one: 'adGroupCriterion', shape: adGroupCriterion },
  assets: { one: 'asset', shape: asset },
  adGroupAds: { one: 'adGroupAd', shape: adGroupAd },
} as const;
export type Kind = keyof typeof kinds;
export const kindNames = Object.keys(kinds) as Kind[];

const exemptions: Type = { list: message({ policyName: 'string', violatingText: 'string' }) };

function operationOf(kind: Kind): Message {
  const { shape } = kinds[kind];
  // Assets cannot be removed.
  const ways = kind === 'assets' ? ['create', 'update'] : ['create', 'update', 'remove'];
  const fields: Record<string, Type> = { create: shape, update: shape, updateMask: 'string' };
  if (kind !== 'assets') fields['remove'] = 'string';
  if (kind === 'adGroupAds') {
    fields['policyValidationParameter'] = message({
      ignorablePolicyTopics: strings,
      exemptPolicyViolationKeys: exemptions,
    });
  }
  if (kind === 'adGroupCriteria') fields['exemptPolicyViolationKeys'] = exemptions;
  return message(fields, { oneof: ways });
}

const settings = {
  partialFailure: 'bool',
  validateOnly: 'bool',
  responseContentType: enumOf('RESOURCE_NAME_ONLY MUTABLE_RESOURCE'),
} as const;

/** Changes the content of an ad, which the operation of its place in an ad group cannot. */
const adOperation = message({
  update: ad,
  updateMask: 'string',
  policyValidationParameter: message({ ignorablePolicyTopics: strings, exemptPolicyViolationKeys: exemptions }),
});

/** `googleAds:mutate` and the mutate of one kind. */
export const mutateAll = message({
  ...settings,
  mutateOperations: {
    list: message(
      {
        ...Object.fromEntries(kindNames.map((kind) => [`${kinds[kind].one}Operation`, operationOf(kind)])),
        adOperation,
      },
      { oneof: [...kindNames.map((kind) => `${kinds[kind].one}Operation`), 'adOperation'] },
    ),
  },
});
export const mutateOf = (kind: Kind): Message => message({ ...settings, operations: { list: operationOf(kind) } });

export const searchRequest = message({
  query: 'string',
  pageToken: 'string',
  pageSize: 'int32',
  validateOnly: 'bool',
  searchSettings: message({ omitResults: 'bool', returnSummaryRow: 'bool', returnTotalResultsCount: 'bool' }),
});
export const streamRequest = message({
  query: 'string',
  summaryRowSetting: enumOf('NO_SUMMARY_ROW SUMMARY_ROW_WITH_RESULTS SUMMARY_ROW_ONLY'),
});
export const suggestRequest = message(
  {
    locale: 'string',
    countryCode: 'string',
    locationNames: message({ names: strings }),
    geoTargets: message({ geoTargetConstants: strings }),
  },
  { oneof: ['locationNames', 'geoTargets'] },
);
