import { timeZoneOf, type Customer, type Person, type SandboxState } from './state.ts';

export interface PersonOptions {
  name?: string;
  currencies?: string[];
}

const usual = {
  status: 'ENABLED',
  access: 'STANDARD',
  hasConversionTracking: true,
  withoutTotalBudgets: [],
  campaignLimit: 10_000_000,
  hidesErrors: false,
} as const;

/** A user with an account per currency; the last of several is only accessible through a manager. */
export function addPerson(
  sandbox: SandboxState,
  { name = 'Shop', currencies = ['USD', 'EUR'] }: PersonOptions,
): { person: Person; accounts: Customer[] } {
  const make = (label: string, currency: string, rest: Pick<Customer, 'isManager' | 'managerId'>): Customer => {
    const id = sandbox.newId('customers');
    const customer: Customer = {
      ...usual,
      withoutTotalBudgets: [],
      id,
      name: label,
      currency,
      timeZone: timeZoneOf(currency),
      userListId: sandbox.newId('userLists'),
      ...rest,
    };
    sandbox.customers.put(id, customer);
    return customer;
  };
  const [first = 'USD'] = currencies;
  const manager = currencies.length > 1 ? make(`${name} manager`, first, { isManager: true }) : undefined;
  const accounts = currencies.map((currency, index) => {
    const isManaged = manager !== undefined && index === currencies.length - 1;
    return make(`${name} ${currency}`, currency, { isManager: false, managerId: isManaged ? manager.id : undefined });
  });
  const direct = [...accounts.filter(({ managerId }) => managerId === undefined), ...(manager ? [manager] : [])];
  const id = sandbox.newId('people');
  const username = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.')}@example.com`;
  const person = { id, name, username, customerIds: direct.map((customer) => customer.id) };
  sandbox.people.put(id, person);
  return { person, accounts };
}
