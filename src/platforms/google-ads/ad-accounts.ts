import { PlatformError } from '../error.ts';
import type { Access, AdAccount } from '../platform.ts';
import type { Client } from './client.ts';
import { ClientRow, CustomerRow, type CustomerWire } from './wire.ts';

const fieldsOf = (of: string): string =>
  ['id', 'descriptive_name', 'currency_code', 'time_zone', 'manager', 'status']
    .map((field) => `${of}.${field}`)
    .join(', ');
const customerQuery = `SELECT ${fieldsOf('customer')} FROM customer`;
const clientQuery = `SELECT ${fieldsOf('customer_client')} FROM customer_client WHERE customer_client.manager = FALSE`;

/** The accounts that ads can be paid from: those reached directly, then those behind the managers that are. */
export async function listAdAccounts(client: Client, access: Access): Promise<AdAccount[]> {
  const found = new Map<string, AdAccount>();
  const managers: string[] = [];
  for (const id of await client.accessible(access)) {
    const customer = await readCustomer(client, access, id);
    if (customer?.manager) managers.push(customer.id);
    else if (customer) found.set(customer.id, toAdAccount(customer));
  }
  for (const managerId of managers) {
    const rows = await client.rows(access, { id: managerId, managerId }, { schema: ClientRow, text: clientQuery });
    for (const { customerClient } of rows) {
      const isNew = !customerClient.manager && !found.has(customerClient.id);
      if (isNew) found.set(customerClient.id, toAdAccount(customerClient, managerId));
    }
  }
  return [...found.values()];
}

/** A closed account is still named among the accessible ones, but nothing of it can be read. */
async function readCustomer(client: Client, access: Access, id: string): Promise<CustomerWire | undefined> {
  try {
    const [row] = await client.rows(access, { id }, { schema: CustomerRow, text: customerQuery });
    return row?.customer;
  } catch (error) {
    if (error instanceof PlatformError && error.upstream.code === 'CUSTOMER_NOT_ENABLED') return undefined;
    throw error;
  }
}

const toAdAccount = (customer: CustomerWire, managerId?: string): AdAccount => ({
  id: customer.id,
  name: customer.descriptiveName || customer.id,
  currency: customer.currencyCode,
  timezone: customer.timeZone,
  isActive: customer.status === 'ENABLED',
  ...(managerId && { managerId }),
});
