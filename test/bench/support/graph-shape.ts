/** What the query of the graph benchmark selects. */
export const query = `{
  campaigns(first: 20) { nodes {
    name status account { username } profile { name }
    adSets(first: 5) { nodes {
      name status
      ads(first: 9) { nodes { name status account { username } profile { name } } }
    } }
  } }
}`;

/** A record of any type, with the members that the query needs. */
export interface Node {
  _id: string;
  accountId: string;
  profileId: string;
  name: string;
  status: string;
  username: string;
}

export interface Source {
  campaigns: Node[];
  adSetsOf: (campaign: Node) => Node[];
  adsOf: (adSet: Node) => Node[];
  /** Accounts and profiles by id. */
  owners: Map<string, Node>;
}

/** The data of the query, from the records that it consists of. */
export function dataOf({ campaigns, adSetsOf, adsOf, owners }: Source): object {
  const own = ({ name, status }: Node): object => ({ name, status: status.toUpperCase() });
  const owned = (node: Node): object => ({
    ...own(node),
    account: { username: owners.get(node.accountId)?.username },
    profile: { name: owners.get(node.profileId)?.name },
  });
  const adSet = (node: Node): object => ({ ...own(node), ads: { nodes: adsOf(node).map(owned) } });
  const campaign = (node: Node): object => ({ ...owned(node), adSets: { nodes: adSetsOf(node).map(adSet) } });
  return { campaigns: { nodes: campaigns.map(campaign) } };
}
