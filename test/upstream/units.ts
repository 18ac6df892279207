/** In which unit a platform takes a daily budget, by the name of the field. */
export const units: Record<string, { field: string; ofOne: (amount: number) => unknown; source: string }> = {
  A: {
    field: 'daily_budget',
    ofOne: (amount) => Math.round(amount * 100),
    source: 'Marketing API reference, Ad Account Adsets: in the smallest unit of the currency',
  },
  B: {
    field: 'amountMicros',
    ofOne: (amount) => String(Math.round(amount * 1_000_000)),
    source: 'v25 campaign_budget.proto: one million is one unit of the currency',
  },
  C: {
    field: 'daily_spend_cap',
    ofOne: (amount) => Math.round(amount * 1_000_000),
    source: 'OpenAPI 5.23.0, text of POST /ad_accounts/{ad_account_id}/campaigns: microcurrency',
  },
  D: {
    field: 'budget',
    ofOne: (amount) => amount,
    source: 'tiktok-business-api-sdk, AdgroupCreateBody: a decimal number of the currency',
  },
  E: {
    field: 'daily_budget_amount_local_micro',
    ofOne: (amount) => Math.round(amount * 1_000_000),
    source: 'X Ads API 12, POST line_items: 5.50 USD are 5500000',
  },
  F: {
    field: 'dailyBudget',
    ofOne: (amount) => ({ amount: String(amount), currencyCode: 'USD' }),
    source: 'LinkedIn, Campaigns: the amount of money as a real number string',
  },
};
