import { describe, expect, it } from 'vitest';
import { statusOf as creativeStatus } from '../../src/platforms/linkedin/status.ts';
import { Creative } from '../../src/platforms/linkedin/wire.ts';
import { statusOf } from '../../src/platforms/tiktok/status.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** bububa/tiktok-business, enum/seconday_status.go, 2026-07-24, without those that only filter. */
const onD = {
  cancelled: words(`CAMPAIGN_STATUS_DELETE ADGROUP_STATUS_DELETE ADGROUP_STATUS_CAMPAIGN_DELETE AD_STATUS_DELETE
    AD_STATUS_CAMPAIGN_DELETE AD_STATUS_ADGROUP_DELETE`),
  active: words(`CAMPAIGN_STATUS_ENABLE CAMPAIGN_STATUS_BUDGET_EXCEED ADGROUP_STATUS_DELIVERY_OK
    ADGROUP_STATUS_PARTIAL_AUDIT_DELIVERY_OK ADGROUP_STATUS_REVIEW_PARTIALLY_APPROVED ADGROUP_STATUS_NOT_START
    ADGROUP_STATUS_BUDGET_EXCEED ADGROUP_STATUS_CAMPAIGN_EXCEED ADGROUP_STATUS_BALANCE_EXCEED
    ADGROUP_STATUS_SEARCH_KEYWORDS_PARTIAL_APPROVED AD_STATUS_DELIVERY_OK AD_STATUS_PARTIAL_AUDIT_DELIVERY_OK
    AD_STATUS_REVIEW_PARTIALLY_APPROVED AD_STATUS_NOT_START AD_STATUS_BUDGET_EXCEED AD_STATUS_BALANCE_EXCEED`),
  rejected: words(`CAMPAIGN_STATUS_ADVERTISER_AUDIT_DENY CAMPAIGN_STATUS_REVIEW_DISAPPROVED ADGROUP_STATUS_AUDIT_DENY
    ADGROUP_STATUS_ADVERTISER_AUDIT_DENY ADGROUP_STATUS_INDUSTRY_QUALIFICATION_DENY ADGROUP_STATUS_RF_AD_AUDIT_DENY
    ADGROUP_STATUS_PROMOTE_AD_NOT_APPROVED AD_STATUS_AUDIT_DENY AD_STATUS_ADGROUP_AUDIT_DENY
    AD_STATUS_ADVERTISER_AUDIT_DENY AD_STATUS_ADGROUP_INDUSTRY_QUALIFICATION_DENY AD_STATUS_PROMOTE_AD_OFFLINE_AUDIT
    AD_STATUS_CREATIVE_PRODUCT_ALL_REJECTED`),
  pending_review: words(`CAMPAIGN_STATUS_ADVERTISER_AUDIT ADGROUP_STATUS_AUDIT ADGROUP_STATUS_REAUDIT
    ADGROUP_STATUS_SHADOW_ADGROUP_REAUDIT ADGROUP_STATUS_PARTIAL_AUDIT_NO_DELIVERY
    ADGROUP_STATUS_SEARCH_KEYWORDS_IN_REVIEW AD_STATUS_AUDIT AD_STATUS_REAUDIT AD_STATUS_ADVERTISER_AUDIT
    AD_STATUS_PARTIAL_AUDIT_NO_DELIVERY AD_STATUS_ADGROUP_PARTIAL_AUDIT_NO_DELIVERY AD_STATUS_PROCESS_AUDIO`),
  completed: words(`ADGROUP_STATUS_TIME_DONE ADGROUP_STATUS_RF_TIME_DONE ADGROUP_STATUS_RF_CLOSED_OTHERS
    ADGROUP_STATUS_RF_TERMINATE ADGROUP_STATUS_RF_WITHDRAW_ORDER ADGROUP_STATUS_PROMOTE_WITHDRAW_ORDER AD_STATUS_DONE
    AD_STATUS_RF_ADGROUP_CLOSED AD_STATUS_PROMOTE_ADGROUP_CLOSED`),
  paused: words(`CAMPAIGN_STATUS_DISABLE ADGROUP_STATUS_DISABLE ADGROUP_STATUS_CAMPAIGN_DISABLE AD_STATUS_DISABLE
    AD_STATUS_CAMPAIGN_DISABLE AD_STATUS_ADGROUP_DISABLE`),
};

describe('the status of an object on D', () => {
  it.each(Object.entries(onD))('is %s', (status, names) => {
    const found = names.map((name) => [name, statusOf({ operation_status: 'ENABLE', secondary_status: name }).status]);
    expect(found).toEqual(names.map((name) => [name, status]));
  });

  it('is that of its own switch if the word says nothing of it', () => {
    expect(statusOf({ operation_status: 'DISABLE', secondary_status: 'SOMETHING_NEW' })).toEqual({ status: 'paused' });
    expect(statusOf({ operation_status: 'ENABLE', secondary_status: null })).toEqual({ status: 'active' });
  });
});

describe('the review of a creative on F', () => {
  it.each([
    ['PENDING', 'pending_review'],
    ['NEEDS_REVIEW', 'pending_review'],
    ['APPROVED', 'active'],
    ['REJECTED', 'rejected'],
  ])('%s is %s', (status, seen) => {
    const creative = { id: 'urn:li:sponsoredCreative:1', campaign: 'urn:li:sponsoredCampaign:2' };
    const read = Creative.parse({ ...creative, intendedStatus: 'ACTIVE', review: { status } });
    expect(creativeStatus(read).status).toBe(seen);
  });
});
