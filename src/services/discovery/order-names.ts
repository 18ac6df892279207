import type { Naming } from '../../models/campaign.ts';
import type { Services } from '../context.ts';
import type { Scope } from './scope.ts';

interface Nodes {
  nodes: { _id: string; facts: { name: string } }[];
  known: ReadonlyMap<string, unknown>;
}

const marked = / ([0-9a-f]{8})$/;

/** Names of what an order that is still open has created: a campaign or ad set may be found before the order ends. */
export async function namingsOfOrders(
  { db }: Services,
  { account }: Scope,
  { nodes, known }: Nodes,
): Promise<Map<string, Naming>> {
  const unknown = nodes.filter(({ _id, facts }) => !known.has(_id) && marked.test(facts.name));
  if (unknown.length === 0) return new Map();
  const open = await db.ads
    .find({ accountId: account._id, status: { $in: ['creating', 'unconfirmed'] } }, { orderId: 1, name: 1 })
    .lean();
  const given = new Map(open.map(({ orderId, name }) => [orderId.slice(-8), name]));
  return new Map(
    unknown.flatMap(({ _id, facts: { name: sent } }) => {
      const mark = marked.exec(sent)?.[1] ?? '';
      const name = given.get(mark);
      return name === undefined ? [] : [[_id, { given: name, sent, mark }]];
    }),
  );
}
