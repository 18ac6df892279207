import { segment } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import type { Access, AdOrder } from '../platform.ts';
import type { Client } from './client.ts';
import { isRecent } from '../poll.ts';
import { actOf, Found } from './wire.ts';

export interface Finder {
  campaign: (name: string) => Promise<string | undefined>;
  creative: (name: string) => Promise<string | undefined>;
  child: (parentId: string, edge: 'adsets' | 'ads', name: string) => Promise<string | undefined>;
}

/** Finds what an unanswered write may have created. Names that the service assigns end in its own id, so they are unique. */
export function createFinder(client: Client, access: Access, order: AdOrder): Finder {
  const { adAccount } = order;
  const isOurs = (name: string) => (found: Found) => found.name === name && isRecent(found.created_time, order);
  const ofAccount = async (edge: string, name: string, query: Record<string, string>): Promise<string | undefined> => {
    const found = await client.list(access, `${actOf(adAccount.id)}/${edge}`, { item: Found, query });
    return found.find(isOurs(name))?.id;
  };
  return {
    async campaign(name) {
      const query = { fields: 'id,name,created_time' };
      const filtering = JSON.stringify([{ field: 'name', operator: 'EQUAL', value: name }]);
      try {
        return await ofAccount('campaigns', name, { ...query, filtering });
      } catch (error) {
        // The filter is an optimisation: without it the whole list is read.
        if (error instanceof PlatformError && error.fault === 'rejected') return ofAccount('campaigns', name, query);
        throw error;
      }
    },
    creative: (name) => ofAccount('adcreatives', name, { fields: 'id,name' }),
    async child(parentId, edge, name) {
      const found = await client.list(access, `${segment(parentId)}/${edge}`, {
        item: Found,
        query: { fields: 'id,name,created_time' },
      });
      return found.find(isOurs(name))?.id;
    },
  };
}
