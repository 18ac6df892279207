import type { Access, AdAccount, NoteProblem } from '../platform.ts';
import { readable, tolerant } from '../tolerant.ts';
import type { Client } from './client.ts';
import { fromMinor } from './money.ts';
import { AdAccountWire } from './wire.ts';

/** Account states that permit ads; others are closed, unpaid or under review. */
const openStates = new Set([1, 8, 9, 201]);

const states: Record<number, string> = {
  1: 'ACTIVE',
  2: 'DISABLED',
  3: 'UNSETTLED',
  7: 'PENDING_RISK_REVIEW',
  8: 'PENDING_SETTLEMENT',
  9: 'IN_GRACE_PERIOD',
  100: 'PENDING_CLOSURE',
  101: 'CLOSED',
  201: 'ANY_ACTIVE',
  202: 'ANY_CLOSED',
};

const reasons: Record<number, string> = {
  1: 'ADS_INTEGRITY_POLICY',
  2: 'ADS_IP_REVIEW',
  3: 'RISK_PAYMENT',
  4: 'GRAY_ACCOUNT_SHUT_DOWN',
  5: 'ADS_AFC_REVIEW',
  6: 'BUSINESS_INTEGRITY_RAR',
  7: 'PERMANENT_CLOSE',
  8: 'UNUSED_RESELLER_ACCOUNT',
  9: 'UNUSED_ACCOUNT',
  10: 'UMBRELLA_AD_ACCOUNT',
  11: 'BUSINESS_MANAGER_INTEGRITY_POLICY',
  12: 'MISREPRESENTED_AD_ACCOUNT',
  13: 'AOAB_DESHARE_LEGAL_ENTITY',
  14: 'CTX_THREAD_REVIEW',
  15: 'COMPROMISED_AD_ACCOUNT',
};

export async function listAdAccounts(client: Client, access: Access, note?: NoteProblem): Promise<AdAccount[]> {
  const item = tolerant(AdAccountWire, {
    objectType: 'ad_account',
    idAt: ['account_id'],
    essential: ['account_status'],
  });
  const query = { fields: Object.keys(AdAccountWire.shape).join(',') };
  const found = readable(await client.list(access, 'me/adaccounts', { item, query }), note);
  return found.map(({ account_id: id, name, currency, timezone_name: timezone, min_daily_budget: least, ...state }) => {
    const { account_status: status = 1, disable_reason: reason = 0 } = state;
    const { default_dsa_beneficiary: dsaBeneficiary, default_dsa_payor: dsaPayor } = state;
    return {
      id,
      name,
      currency,
      timezone,
      minDailyBudget: least && fromMinor(least, currency),
      ...(dsaBeneficiary && { dsaBeneficiary }),
      ...(dsaPayor && { dsaPayor }),
      isActive: openStates.has(status),
      status: states[status] ?? String(status),
      ...(reason !== 0 && { statusReason: reasons[reason] ?? String(reason) }),
    };
  });
}
