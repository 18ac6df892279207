import { appProof } from '../../platforms/meta/app-proof.ts';
import { jsonOf } from '../../platforms/meta/field-errors.ts';
import { at, textAt } from './check.ts';
import { common, joined, listAt, pathOf, textsOf, unless2xx, type Dialect, type Fields } from './dialect.ts';

export const meta: Dialect = {
  account: 'network-a',
  headers: /^(x-(ad-account|business-use-case|app|fb-ads-insights-throttle).*|.*version-warning)$/,
  optional:
    /^paging|(budget|budget_remaining|bid_amount|bid_strategy|_time|promoted_object|disable_reason|creative|ad_review_feedback|country_code|country_name|region|region_id|topic|description|disambiguation_category|timezone_name)\b/,
  call: (side, step) => ({
    ...common(side, step),
    path: pathOf(step.version ?? side.config.A.version, step),
    query: {
      ...step.query,
      ...(step.token !== '' && !step.isUnproven && appProof(side.access.token, side.config.A.clientSecret)),
    },
    ...(step.fields !== undefined && { form: textsOf(step.fields) }),
  }),
  idIn: (body) => textAt(body, 'id') ?? textAt(body, 'copied_campaign_id'),
  refusal: ({ status, body }) => {
    const error = at(body, 'error');
    if (error === undefined && status < 300) return undefined;
    const data = at(error, 'error_data');
    const rejected = at(typeof data === 'string' ? jsonOf(data) : data, 'blame_field_specs');
    return {
      code: joined(textAt(error, 'code'), textAt(error, 'error_subcode')),
      fields: Array.isArray(rejected) ? rejected.flat(2).map(String) : [],
      text: joined(textAt(error, 'error_user_msg') ?? textAt(error, 'message')),
    };
  },
  removal: (_scene, _kind, id) => ({ method: 'DELETE', path: id }),
  isGone: /^100\/33|1487056/,
};

export const googleAds: Dialect = {
  account: 'search-display',
  headers: /^(request-id|retry-after|.*warning.*)$/,
  optional:
    /^(nextPageToken|fieldMask|queryResourceConsumption|summaryRow|results)$|[Bb]udget\.|metrics|\.\w+Micros|DateTime|reviewStatus|policy|descriptiveName|parentGeoTarget|reach|searchTerm|locale/,
  call: (side, step) => {
    const { config, adAccount } = side;
    const manager = adAccount.managerId?.replaceAll('-', '');
    return {
      ...common(side, step),
      path: pathOf(step.version ?? config.B.version, step),
      json: step.fields,
      headers: {
        'developer-token': config.B.developerToken,
        ...(manager && { 'login-customer-id': manager }),
        ...step.headers,
      },
    };
  },
  idIn: (body) =>
    listAt(body, 'mutateOperationResponses')
      .map((entry) => textAt(entry, 'campaignResult', 'resourceName'))
      .find((name) => name !== undefined),
  refusal: ({ status, body }) =>
    unless2xx(status, () => {
      const errors = listAt(body, 'error', 'details').flatMap((detail) => listAt(detail, 'errors'));
      const codes = errors.flatMap(({ errorCode }) =>
        Object.entries((errorCode ?? {}) as Fields).map((pair) => pair.join('.')),
      );
      const paths = errors.map((error) =>
        listAt(error, 'location', 'fieldPathElements')
          .map(({ fieldName }) => fieldName)
          .join('.'),
      );
      return {
        code: joined(textAt(body, 'error', 'status') ?? textAt(body, 'error'), ...codes),
        fields: paths.filter(Boolean),
        text: errors.map(({ message }) => message).join('; ') || (textAt(body, 'error', 'message') ?? ''),
      };
    }),
  removal: ({ adAccount }, kind, id) => ({
    method: 'POST',
    path: `customers/${adAccount.id.replaceAll('-', '')}/googleAds:mutate`,
    fields: { mutateOperations: [{ [`${kind}Operation`]: { remove: id } }] },
  }),
  isGone: /NOT_FOUND|REMOVED/,
};

export const pinterest: Dialect = {
  account: 'pin-board',
  headers: /^(x-ratelimit-(limit|remaining|reset)|retry-after|.*(deprecat|sunset|warning).*)$/,
  optional:
    /^(items\[\]\.)?(items|bookmark)$|(\[\]|data)\.(\w*_time|\w*budget\w*|\w*spend_cap|bid_\w+|tracking_urls|order_line_id|\w*metadata|targeting_spec\.\w+|rejected_reasons|rejection_labels)/,
  call: (side, step) => ({
    ...common(side, step),
    path: pathOf(step.version ?? side.config.C.version, step),
    json: step.fields,
  }),
  idIn: (body) => textAt(body, 'items', 0, 'data', 'id'),
  refusal: ({ status, body }) => {
    const [exception] = listAt(body, 'items', 0, 'exceptions');
    if (!exception && status < 300) return undefined;
    const [code, text] = [textAt(exception ?? body, 'code'), textAt(exception ?? body, 'message')];
    return { code: code ?? '', fields: [...new Set((text ?? '').match(/\b[a-z]+(_[a-z]+)+\b/g))], text: text ?? '' };
  },
  removal: ({ adAccount }, kind, id) => ({
    method: 'PATCH',
    path: `ad_accounts/${adAccount.id}/${kind}`,
    fields: [{ id, ...(kind === 'campaigns' && { ad_account_id: adAccount.id }), status: 'ARCHIVED' }],
  }),
  isGone: /not found/i,
};
