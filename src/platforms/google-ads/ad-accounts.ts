import { PlatformError } from '../error.ts';
import type { Access, AdAccount, NoteProblem } from '../platform.ts';
import { readable, tolerant, type Item } from '../tolerant.ts';
import type { Client } from './client.ts';
import { ClientRow, CustomerRow, type CustomerWire } from './wire.ts';

const fieldsOf = (of: string): string =>
  ['id', 'descriptive_name', 'currency_code', 'time_zone', 'manager', 'status']
    .map((field) => `${of}.${field}`)
    .join(', ');
const customerQuery = `SELECT ${fieldsOf('customer')} FROM customer`;
const clientQuery = `SELECT ${fieldsOf('customer_client')} FROM customer_client WHERE customer_client.manager = FALSE`;

/** Error code of a closed or suspended account, which cannot be read any further. */
export const notEnabled = 'CUSTOMER_NOT_ENABLED';

const described = (of: string) => ({ objectType: 'ad_account', idAt: [of, 'id'] }) as const;
const customerRow = tolerant(CustomerRow, described('customer'));
const clientRow = tolerant(ClientRow, described('customerClient'));

/** Lists the accounts that can run ads: those accessible directly, then those of accessible managers. */
export async function listAdAccounts(client: Client, access: Access, note?: NoteProblem): Promise<AdAccount[]> {
  const found = new Map<string, AdAccount>();
  const managers: string[] = [];
  for (const id of await client.accessible(access)) {
    const rows = await readCustomer(client, access, id);
    if (typeof rows === 'string') found.set(id, closed(id, rows));
    else {
      const [customer] = readable(rows, note).map((row) => row.customer);
      if (customer?.manager) managers.push(customer.id);
      else if (customer) found.set(customer.id, toAdAccount(customer));
    }
  }
  for (const managerId of managers) {
    const rows = await client.rows(access, { id: managerId, managerId }, { schema: clientRow, text: clientQuery });
    for (const { customerClient } of readable(rows, note)) {
      const isNew = !customerClient.manager && !found.has(customerClient.id);
      if (isNew) found.set(customerClient.id, toAdAccount(customerClient, managerId));
    }
  }
  return [...found.values()];
}

/** A closed or suspended account is still listed as accessible, but only the reason can be read. */
async function readCustomer(
  client: Client,
  access: Access,
  id: string,
): Promise<Item<{ customer: CustomerWire }>[] | string> {
  try {
    return await client.rows(access, { id }, { schema: customerRow, text: customerQuery });
  } catch (error) {
    if (error instanceof PlatformError && error.upstream.code === notEnabled) return error.message;
    throw error;
  }
}

/** Name and currency are kept from when it was open. */
const closed = (id: string, statusReason: string): AdAccount => ({
  id,
  name: '',
  currency: '',
  isActive: false,
  status: notEnabled,
  statusReason,
});

const toAdAccount = (customer: CustomerWire, managerId?: string): AdAccount => ({
  id: customer.id,
  name: customer.descriptiveName || customer.id,
  currency: customer.currencyCode,
  timezone: customer.timeZone,
  isActive: customer.status === 'ENABLED',
  status: customer.status,
  ...(managerId && { managerId }),
});
