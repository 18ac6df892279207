import { z } from 'zod';
import { segment } from '../../lib/segment.ts';
import type { Access } from '../platform.ts';
import { unlessMissing } from '../error.ts';
import { idOf, idsIn, removableOf, type RemovalAdapter } from '../removal.ts';
import type { Client } from './client.ts';
import { Changed } from './wire.ts';

const State = z.object({ status: z.string(), effective_status: z.string() });
const Child = z.object({ id: z.string() });
const upstreamStatus = { delete: 'DELETED', archive: 'ARCHIVED' } as const;

/** Neither mode can be undone. Both remove what the object contains too. */
export const removerOf = (client: Client): RemovalAdapter => ({
  async readRemovable(access, ref) {
    const path = segment(idOf(ref));
    const query = { fields: 'status,effective_status' };
    const seen = await unlessMissing(client.read(access, path, { schema: State, query }));
    if (!seen) return undefined;
    return removableOf(ref, stateOf(seen), {
      adSets: () => childrenOf(client, access, `${path}/adsets`),
      ads: () => childrenOf(client, access, `${path}/ads`),
    });
  },
  async remove(access, ref, { mode }) {
    const fields = { status: upstreamStatus[mode] };
    await client.write(access, segment(idOf(ref)), { schema: Changed, fields, isRepeatable: true });
  },
});

/** An object below an archived one is archived with it. */
function stateOf({ status, effective_status: effective }: z.infer<typeof State>) {
  if (effective === 'DELETED') return 'deleted';
  if (effective === 'ARCHIVED') return 'archived';
  return status === 'PAUSED' ? 'paused' : 'active';
}

const childrenOf = (client: Client, access: Access, path: string): Promise<string[]> =>
  idsIn(client.pages(access, path, { item: Child, query: { fields: 'id' } }), ({ id }) => id);
