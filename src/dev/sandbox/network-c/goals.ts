/** Optimisation goals per objective, with their billing events. */
export const goals: Record<string, Record<string, string>> = {
  REACH: { REACH: 'CPM' },
  TRAFFIC: { CLICK: 'CPC', TRAFFIC_LANDING_PAGE_VIEW: 'OCPM' },
  VIDEO_VIEWS: { ENGAGED_VIEW: 'CPV', ENGAGED_VIEW_FIFTEEN: 'CPV' },
  ENGAGEMENT: { FOLLOWERS: 'OCPM', PAGE_VISIT: 'OCPM' },
  LEAD_GENERATION: { LEAD_GENERATION: 'OCPM', CONVERT: 'OCPM' },
  WEB_CONVERSIONS: { CONVERT: 'OCPM', VALUE: 'OCPM' },
  APP_PROMOTION: { INSTALL: 'OCPM', IN_APP_EVENT: 'OCPM', VALUE: 'OCPM' },
  PRODUCT_SALES: { CONVERT: 'OCPM', VALUE: 'OCPM' },
};

export const promotions = ['WEBSITE', 'APP_ANDROID', 'APP_IOS', 'LEAD_GENERATION', 'EXTERNAL_OR_DISPLAY'];
