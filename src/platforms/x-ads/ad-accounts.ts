import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdAccount, NoteProblem } from '../platform.ts';
import { readable, tolerant, type Item } from '../tolerant.ts';
import type { Client } from './client.ts';
import { AccountWire, FundingInstrument, isUsable, pageOf } from './wire.ts';

const accountItem = tolerant(AccountWire, {
  objectType: 'ad_account',
  idAt: ['id'],
  essential: ['deleted', 'approval_status'],
});

export async function listAdAccounts(client: Client, access: Access, note?: NoteProblem): Promise<AdAccount[]> {
  const accounts: AdAccount[] = [];
  for await (const page of client.pages(access, 'accounts', { item: accountItem })) {
    const live = readable(page, note).filter(({ deleted }) => !deleted);
    accounts.push(
      ...(await Promise.all(
        live.map(async (account) => withCurrency(account, readable(await fundingOf(client, access, account.id), note))),
      )),
    );
  }
  return accounts;
}

/** A suspended account may reject this too; it then has no usable funding. */
async function fundingOf(client: Client, access: Access, id: string): Promise<Item<FundingInstrument>[]> {
  const item = tolerant(FundingInstrument, {
    objectType: 'ad_account',
    idAt: () => id,
    essential: ['able_to_fund', 'entity_status', 'deleted'],
  });
  try {
    return (await client.read(access, `accounts/${segment(id)}/funding_instruments`, { schema: pageOf(item) })).data;
  } catch (error) {
    if (error instanceof PlatformError && ['rejected', 'not_found'].includes(error.fault)) return [];
    throw error;
  }
}

/** The currency of the account's funding instrument. */
function withCurrency(
  { id, name, timezone, approval_status: approval }: Account,
  instruments: FundingInstrument[],
): AdAccount {
  const usable = instruments.find(isUsable);
  const isAccepted = !approval || approval === 'ACCEPTED';
  const reasons = usable ? [] : instruments.flatMap(({ reasons_not_able_to_fund: why }) => why ?? []);
  return {
    id,
    name,
    // Without one, keep the currency that was read before.
    currency: (usable ?? instruments[0])?.currency ?? '',
    timezone: timezone ?? undefined,
    isActive: usable !== undefined && isAccepted,
    status: approval ?? undefined,
    ...(!usable && { statusReason: reasons.join(', ') || 'No usable funding instrument' }),
  };
}

type Account = Pick<AdAccount, 'id' | 'name'> & { timezone?: string | null; approval_status?: string | null };
