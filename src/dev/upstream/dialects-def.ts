import { authorization } from '../../platforms/x-ads/signature.ts';
import { textAt } from './check.ts';
import { common, joined, listAt, pathOf, textsOf, unless2xx, type Dialect } from './dialect.ts';

export const tiktok: Dialect = {
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

export const xAds: Dialect = {
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

export const linkedin: Dialect = {
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
      code: joined(textAt(body, 'code') ?? textAt(body, 'error'), textAt(body, 'serviceErrorCode')),
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
