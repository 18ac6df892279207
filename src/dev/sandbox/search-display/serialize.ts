import { schemeOf } from './campaigns.ts';
import { localTime, type Customer, type Resource, type SandboxState } from './state.ts';
import { adGroupCriterionTypes, campaignCriterionTypes } from './resources.ts';
import { isObject, snake, type Fields } from './shapes.ts';

const upper = (name: string): string => snake(name).toUpperCase();

/** Formats a resource with its computed fields. */
export function show(sandbox: SandboxState, resource: Resource): Fields {
  const { name: resourceName, id, kind, fields } = resource;
  const { hash: _hash, ...own } = fields;
  switch (kind) {
    case 'campaigns':
      return { resourceName, id, ...own, ...ofCampaign(sandbox, resource) };
    case 'campaignBudgets':
      return { resourceName, id, ...own, referenceCount: sandbox.owner(`use of ${resourceName}`) ? '1' : '0' };
    case 'adGroupAds':
      return { resourceName, ...own, ad: ofAd(resource), policySummary: review(sandbox, resource) };
    case 'campaignCriteria':
    case 'adGroupCriteria': {
      const type = [...campaignCriterionTypes, ...adGroupCriterionTypes].find((name) => name in fields);
      return { resourceName, negative: false, ...own, type: upper(type ?? 'unknown') };
    }
    default:
      return { resourceName, id, ...own };
  }
}

function ofCampaign(sandbox: SandboxState, { customerId, fields }: Resource): Fields {
  const customer = sandbox.customers.get(customerId) as Customer;
  const now = localTime(customer);
  const isOver = typeof fields['endDateTime'] === 'string' && fields['endDateTime'] < now;
  const isEarly = typeof fields['startDateTime'] === 'string' && fields['startDateTime'] > now;
  const status = String(fields['status']);
  const serving = isOver ? 'ENDED' : isEarly ? 'PENDING' : status === 'ENABLED' ? 'SERVING' : 'NONE';
  const eligible = serving === 'SERVING' ? 'ELIGIBLE' : serving;
  return {
    biddingStrategyType: upper(schemeOf(fields) ?? 'unknown'),
    servingStatus: serving,
    primaryStatus: status === 'ENABLED' ? eligible : status,
    missingEuPoliticalAdvertisingDeclaration: fields['containsEuPoliticalAdvertising'] === undefined,
  };
}

function ofAd({ customerId, id, fields }: Resource): Fields {
  const ad = isObject(fields['ad']) ? fields['ad'] : {};
  const type = 'responsiveSearchAd' in ad ? 'RESPONSIVE_SEARCH_AD' : 'RESPONSIVE_DISPLAY_AD';
  return { ...ad, resourceName: `customers/${customerId}/ads/${id}`, id, type };
}

/** Ads have no name, so that of their ad group or campaign determines the review. */
export function review(sandbox: SandboxState, { fields }: Resource): Fields {
  const group = sandbox.get(String(fields['adGroup']));
  const campaign = sandbox.get(String(group?.fields['campaign']));
  const names = `${group?.fields['name']} ${campaign?.fields['name']}`;
  const word = /\[review:(pending|rejected)\]/.exec(names)?.[1];
  // Unconfirmed: the approval status of an ad under review.
  if (word === 'pending') return { reviewStatus: 'REVIEW_IN_PROGRESS', approvalStatus: 'UNKNOWN' };
  if (word !== 'rejected') return { reviewStatus: 'REVIEWED', approvalStatus: 'APPROVED' };
  const policyTopicEntries = [{ topic: 'MISLEADING_CONTENT', type: 'PROHIBITED' }];
  return { reviewStatus: 'REVIEWED', approvalStatus: 'DISAPPROVED', policyTopicEntries };
}

export const showCustomer = (customer: Customer): Fields => ({
  resourceName: `customers/${customer.id}`,
  id: customer.id,
  descriptiveName: customer.name,
  currencyCode: customer.currency,
  timeZone: customer.timeZone,
  manager: customer.isManager,
  testAccount: true,
  status: customer.status,
});

/** A customer as a client of a manager, or of itself. */
export const showClient = (above: Customer, customer: Customer): Fields => ({
  ...showCustomer(customer),
  resourceName: `customers/${above.id}/customerClients/${customer.id}`,
  clientCustomer: `customers/${customer.id}`,
  level: above.id === customer.id ? '0' : '1',
  hidden: false,
});

export const showUserList = ({ id, userListId, name }: Customer): Fields => ({
  resourceName: `customers/${id}/userLists/${userListId}`,
  id: userListId,
  name: `${name} visitors`,
  membershipStatus: 'OPEN',
  sizeForDisplay: '12000',
  sizeForSearch: '8000',
});
