import { PlatformError } from '../error.ts';
import { requireMedia } from '../media.ts';
import { images } from '../media-types.ts';
import type { CreateContext } from './create-ads.ts';
import { fileName, Identity, CreatedIdentity, ImageUploaded } from './wire.ts';

export interface AdIdentity {
  identity_type: 'TT_USER' | 'CUSTOMIZED_USER';
  identity_id: string;
}

/** The identity that runs the ad: the connected user, or a custom identity that is created once and stored. */
export const adapterFor = (cascade: CreateContext): Promise<AdIdentity> =>
  cascade.order.input.identityType === 'NETWORK_C_USER' ? connectedPerson(cascade) : customIdentity(cascade);

async function connectedPerson({ client, access, order }: CreateContext): Promise<AdIdentity> {
  const { userIdentityId } = access.platformState;
  if (userIdentityId) return { identity_type: 'TT_USER', identity_id: userIdentityId };
  const query = { advertiser_id: order.adAccount.id, identity_type: 'TT_USER' };
  const call = { item: Identity, query, member: 'identity_list', pageSize: 100 };
  for await (const page of client.pages(access, 'identity/get', call)) {
    const usable = page.filter(({ available_status: status }) => status === undefined || status === 'AVAILABLE');
    const found = usable.find(({ identity_id: id }) => id === access.platformAccountId) ?? usable[0];
    if (!found) continue;
    await access.keep({ userIdentityId: found.identity_id });
    return { identity_type: 'TT_USER', identity_id: found.identity_id };
  }
  const message = 'The connected account may not be used in ads of this ad account; use CUSTOMIZED_USER';
  throw new PlatformError('D', 'rejected', message, { fields: { identityType: [message] } });
}

async function customIdentity({ client, access, order, journal, media }: CreateContext): Promise<AdIdentity> {
  const { brandIdentity } = order.input;
  const { identities = {} } = access.platformState;
  const earlier = identities[order.adAccount.id];
  const isReserved = earlier && (!brandIdentity || brandIdentity.displayName === earlier.name);
  if (isReserved) return { identity_type: 'CUSTOMIZED_USER', identity_id: earlier.id };
  if (!brandIdentity) {
    const message = 'is required with the first ad of a custom identity';
    throw new PlatformError('D', 'rejected', `brandIdentity ${message}`, { fields: { brandIdentity: [message] } });
  }
  const identityFor = async (id: string): Promise<AdIdentity> => {
    const kept = { ...identities, [order.adAccount.id]: { id, name: brandIdentity.displayName } };
    if (!journal.dryRun) await access.keep({ identities: kept });
    return { identity_type: 'CUSTOMIZED_USER', identity_id: id };
  };
  const existing = journal.isBegun
    ? undefined
    : await namedIdentity({ client, access, order }, brandIdentity.displayName);
  if (existing) return identityFor(existing);
  const avatar = { platform: 'D', field: 'brandIdentity.imageUrl', url: brandIdentity.imageUrl, types: images };
  if (!journal.isBegun) await requireMedia(media, avatar);
  const advertiser = { advertiser_id: order.adAccount.id };
  const image = {
    ...advertiser,
    upload_type: 'UPLOAD_BY_URL',
    image_url: brandIdentity.imageUrl,
    file_name: fileName(order.names.campaign, ' avatar'),
  };
  const upload = async (): Promise<string> =>
    (await client.write(access, 'file/image/ad/upload', { schema: ImageUploaded, fields: image })).image_id;
  const imageId = await journal.run({
    name: 'identityImage',
    request: client.show('file/image/ad/upload', image),
    send: upload,
    // An image costs nothing: after an unknown outcome it is uploaded again.
    again: upload,
  });
  const fields = { ...advertiser, display_name: brandIdentity.displayName, image_uri: imageId };
  const made = await journal.run({
    name: 'identity',
    request: client.show('identity/create', fields),
    send: async () => (await client.write(access, 'identity/create', { schema: CreatedIdentity, fields })).identity_id,
    find: () => namedIdentity({ client, access, order }, brandIdentity.displayName),
  });
  return identityFor(made);
}

async function namedIdentity(
  { client, access, order }: Pick<CreateContext, 'client' | 'access' | 'order'>,
  name: string,
): Promise<string | undefined> {
  const query = { advertiser_id: order.adAccount.id, identity_type: 'CUSTOMIZED_USER' };
  const call = { item: Identity, query, member: 'identity_list', pageSize: 100 };
  for await (const page of client.pages(access, 'identity/get', call)) {
    const found = page.find(({ display_name: shown }) => shown === name);
    if (found) return found.identity_id;
  }
  return undefined;
}
