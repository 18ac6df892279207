import type { AccountPlatform, AdPlatform } from '../../contract/platforms.ts';
import type { UpstreamCall } from '../../platforms/http.ts';
import { authorization } from '../../platforms/x-ads/signature.ts';
import { at, textAt, type Scene, type Side, type Step } from './check.ts';
import type { Exchange } from './record.ts';

export interface Refusal {
  /** Code, subcode and the like, in the platform's own order. */
  code: string;
  /** Paths of the fields that it names. */
  fields: string[];
  text: string;
}

/** What the platforms do differently, as far as raw requests and their answers need it. */
export interface Dialect {
  account: AccountPlatform;
  /** Headers whose presence matters: quotas, warnings, ids. */
  headers: RegExp;
  /** Members of answers that depend on the data. */
  optional: RegExp;
  /** A request with the credentials of a side. */
  call: (side: Side, step: Step) => UpstreamCall;
  idIn: (body: unknown, headers: Exchange['headers']) => string | undefined;
  refusal: (exchange: Pick<Exchange, 'status' | 'body'>) => Refusal | undefined;
  removal: (scene: Scene, kind: string, id: string) => Step;
  /** Codes and texts with which the removal of a removed object is refused. */
  isGone: RegExp;
}

type Fields = Record<string, unknown>;

const listAt = (value: unknown, ...path: (string | number)[]): Fields[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as Fields[]) : [];
};
const joined = (...parts: unknown[]): string => parts.filter((part) => part !== undefined && part !== '').join('/');
const asText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
const textsOf = (fields: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries((fields ?? {}) as Fields).map(([name, value]) => [name, asText(value)]));
const pathOf = (version: string, { path }: Step, end = ''): string =>
  /^https?:/.test(path) ? path : `/${version}/${path}${end}`;
const common = ({ access }: Side, { method = 'GET', query, headers, token, form }: Step) =>
  ({
    method,
    query,
    headers,
    form,
    token: token === '' ? undefined : (token ?? access.token),
  }) satisfies Partial<UpstreamCall>;
const unless2xx = (status: number, refusal: () => Refusal): Refusal | undefined =>
  status >= 200 && status < 300 ? undefined : refusal();

const meta: Dialect = {
  account: 'network-a',
  headers: /^(x-(ad-account|business-use-case|app|fb-ads-insights-throttle).*|.*version-warning)$/,
  optional:
    /^paging|(budget|budget_remaining|bid_amount|bid_strategy|_time|promoted_object|disable_reason|creative|ad_review_feedback|country_code|country_name|region|region_id|topic|description|disambiguation_category|timezone_name)\b/,
  call: (side, step) => ({
    ...common(side, step),
    path: pathOf(step.version ?? side.config.A.version, step),
    ...(step.fields !== undefined && { form: textsOf(step.fields) }),
  }),
  idIn: (body) => textAt(body, 'id') ?? textAt(body, 'copied_campaign_id'),
  refusal: ({ body }) => {
    const error = at(body, 'error');
    if (typeof error !== 'object' || error === null) return undefined;
    const data = at(error, 'error_data');
    const blamed = at(typeof data === 'string' ? JSON.parse(data) : data, 'blame_field_specs');
    return {
      code: joined(textAt(error, 'code'), textAt(error, 'error_subcode')),
      fields: Array.isArray(blamed) ? blamed.flat(2).map(String) : [],
      text: joined(textAt(error, 'error_user_msg') ?? textAt(error, 'message')),
    };
  },
  removal: (_scene, _kind, id) => ({ method: 'DELETE', path: id }),
  isGone: /^100\/33|1487056/,
};

const googleAds: Dialect = {
  account: 'search-display',
  headers: /^(request-id|retry-after|.*warning.*)$/,
  optional:
    /^(nextPageToken|fieldMask|queryResourceConsumption|summaryRow|results)$|[Bb]udget\.|metrics|\.\w+Micros|DateTime|reviewStatus|policy|descriptiveName|parentGeoTarget|reach|searchTerm|locale/,
  call: (side, step) => {
    const { access, config, adAccount } = side;
    const manager = adAccount.managerId?.replaceAll('-', '');
    return {
      ...common({ ...side, access }, step),
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
        code: joined(textAt(body, 'error', 'status'), ...codes),
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

const pinterest: Dialect = {
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
    fields: [{ id, ad_account_id: adAccount.id, status: 'ARCHIVED' }],
  }),
  isGone: /not found/i,
};

const tiktok: Dialect = {
  account: 'network-c',
  headers: /^(x-tt-logid|.*(rate-?limit|retry-after|deprecat|warning).*)$/,
  optional: /list\[\]\.|region_info\[\]\.|^data\.\w+$/,
  call: (side, step) => {
    const { token, ...rest } = common(side, step);
    return {
      ...rest,
      path: pathOf(step.version ?? side.config.D.version, step, '/'),
      json: step.fields,
      headers: { ...(token !== undefined && { 'access-token': token }), ...step.headers },
    };
  },
  idIn: (body) => textAt(body, 'data', 'adgroup_id') ?? textAt(body, 'data', 'campaign_id'),
  refusal: ({ status, body }) => {
    const [code, text = ''] = [textAt(body, 'code'), textAt(body, 'message')];
    if (status < 300 && code === '0') return undefined;
    return { code: code ?? '', fields: [...new Set(text.match(/\b[a-z]+(_[a-z]+)+\b/g))], text };
  },
  removal: ({ adAccount }, kind, id) => ({
    method: 'POST',
    path: `${kind}/status/update`,
    fields: { advertiser_id: adAccount.id, [`${kind}_ids`]: [id], operation_status: 'DELETE' },
  }),
  isGone: /^4000[67]|not exist|deleted/i,
};

const xAds: Dialect = {
  account: 'microblog',
  headers: /^(x-(account-)?(rate|cost-rate)-limit-(limit|remaining|reset)|.*(deprecat|warning).*)$/,
  optional: /^(next_cursor|total_count|request)|\.(country_code|country_name|\w*_local_micro|\w*_time|name)$/,
  call: (side, step) => {
    const { token, method, query, headers } = common(side, step);
    const { baseUrl, version, clientId = '', clientSecret = '' } = side.config.E;
    const path = pathOf(step.version ?? version, step);
    const isList = Array.isArray(step.fields);
    const form = step.fields === undefined || isList ? undefined : textsOf(step.fields);
    const keys = {
      consumerKey: clientId,
      consumerSecret: clientSecret,
      token: token ?? '',
      tokenSecret: side.access.tokenSecret ?? '',
    };
    const url = `${baseUrl.replace(/\/$/, '')}${path}`;
    const params = { ...textsOf(query), ...form };
    return {
      method,
      path,
      query,
      ...(isList ? { json: step.fields } : { form }),
      headers: () => ({ authorization: authorization({ method, url, params }, keys), ...headers }),
    };
  },
  idIn: (body) => textAt(body, 'data', 'id'),
  refusal: ({ status, body }) =>
    unless2xx(status, () => {
      const errors = [...listAt(body, 'errors'), ...listAt(body, 'operation_errors').flat()];
      return {
        code: joined(...errors.map(({ code }) => code)),
        fields: errors.flatMap(({ parameter }) => (parameter ? [String(parameter)] : [])),
        text: errors.map(({ message }) => message).join('; '),
      };
    }),
  removal: ({ adAccount }, kind, id) => ({ method: 'DELETE', path: `accounts/${adAccount.id}/${kind}/${id}` }),
  isGone: /NOT_FOUND/,
};

const linkedin: Dialect = {
  account: 'professional',
  headers: /^(x-restli-id|x-restli-error-response|x-li-uuid|retry-after|.*(deprecat|sunset|warning).*)$/,
  optional: /^(metadata|paging)|elements\[\]\.|^(runSchedule\.end|totalBudget|dailyBudget|servingStatuses)/,
  call: (side, step) => ({
    ...common(side, step),
    path: /^https?:/.test(step.path) ? step.path : `/${step.path}`,
    json: step.fields,
    headers: {
      ...(step.version !== '' && { 'linkedin-version': step.version ?? side.config.F.version }),
      'x-restli-protocol-version': '2.0.0',
      ...step.headers,
    },
  }),
  idIn: (_body, headers) => {
    const id = headers['x-restli-id'] ?? headers['x-linkedin-id'];
    return typeof id === 'string' && id !== '' ? decodeURIComponent(id) : undefined;
  },
  refusal: ({ status, body }) =>
    unless2xx(status, () => ({
      code: joined(textAt(body, 'code'), textAt(body, 'serviceErrorCode')),
      fields: listAt(body, 'errorDetails', 'inputErrors').map((error) =>
        String(textAt(error, 'input', 'inputPath', 'fieldPath')),
      ),
      text: textAt(body, 'message') ?? '',
    })),
  removal: ({ adAccount }, kind, id) => ({
    method: 'POST',
    path: `adAccounts/${adAccount.id}/${kind}/${id}`,
    headers: { 'x-restli-method': 'PARTIAL_UPDATE' },
    fields: { patch: { $set: { status: 'PENDING_DELETION' } } },
  }),
  isGone: /NOT_FOUND/,
};

export const dialects: Record<AdPlatform, Dialect> = {
  A: meta,
  B: googleAds,
  C: pinterest,
  D: tiktok,
  E: xAds,
  F: linkedin,
};
