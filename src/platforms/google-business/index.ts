import { segment, segments } from '../../lib/segment.ts';
import { PlatformError } from '../error.ts';
import { createUpstream } from '../http.ts';
import type { AttributeChange, AttributeKind, FoundLocation, ListingAdapter, ListingAttribute } from '../listing.ts';
import type { Access } from '../platform.ts';
import { createClient, type Client } from './client.ts';
import { dotted, platform } from './errors.ts';
import { Accounts, Attributes, Kinds, listedPaths, Location, Locations, type Listed } from './wire.ts';

export interface GoogleBusinessConfig {
  /** Request timeout. */
  timeoutMs?: number;
  baseUrl: string;
  accountUrl: string;
  tokenUrl: string;
  clientId?: string;
  clientSecret?: string;
}

const pathOf = (locationId: string): string => `/locations/${segment(locationId)}`;

export function createGoogleBusiness(config: GoogleBusinessConfig): ListingAdapter {
  const upstream = createUpstream({ platform, baseUrl: config.baseUrl, timeoutMs: config.timeoutMs });
  const client = createClient(upstream);
  return {
    listLocations: (access) => listLocations(client, config, access),
    readLocation: (access, locationId, paths) =>
      client.ask(access, pathOf(locationId), {
        query: { readMask: paths.join(',') },
        schema: Location,
        isOfLocation: true,
      }),
    updateLocation: (access, locationId, { paths, fields }) =>
      client.ask(access, pathOf(locationId), {
        change: fields,
        query: { updateMask: paths.join(',') },
        schema: Location,
        isOfLocation: true,
      }),
    listAttributes: (access, locationId) => listAttributes(client, access, locationId),
    updateAttributes: (access, locationId, changes) => updateAttributes(client, access, { locationId, changes }),
    listAttributeKinds: (access, locationId) => listAttributeKinds(client, access, locationId),
  };
}

/** A personal account lists only its own locations, so every account is read; a location may be in several. */
async function listLocations(
  client: Client,
  { accountUrl }: GoogleBusinessConfig,
  access: Access,
): Promise<FoundLocation[]> {
  const found = new Map<string, FoundLocation>();
  const accountsAt = `${accountUrl.replace(/\/$/, '')}/accounts`;
  for await (const { accounts } of client.pages(access, accountsAt, { schema: Accounts, query: { pageSize: '20' } })) {
    for (const { name } of accounts) {
      const query = { readMask: listedPaths, pageSize: '100' };
      for await (const { locations } of client.pages(access, `/${segments(name)}/locations`, {
        schema: Locations,
        query,
      })) {
        for (const location of locations.map(toLocation)) found.set(location.id, location);
      }
    }
  }
  return [...found.values()];
}

const toLocation = (listed: Listed): FoundLocation => ({
  id: listed.name.split('/').at(-1) ?? '',
  title: listed.title,
  storeCode: listed.storeCode,
  address: addressOf(listed.storefrontAddress),
  websiteUri: listed.websiteUri,
  primaryPhone: listed.phoneNumbers?.primaryPhone,
  primaryCategory: listed.categories?.primaryCategory?.displayName ?? listed.categories?.primaryCategory?.name,
});

function addressOf(address: Listed['storefrontAddress']): string | undefined {
  if (!address) return undefined;
  const { addressLines, postalCode, locality, regionCode } = address;
  const town = [postalCode, locality].filter(Boolean).join(' ');
  return [...addressLines, town, regionCode].filter(Boolean).join(', ') || undefined;
}

/** The response for a location without attributes may be a 404; reading the location resolves the ambiguity. */
async function listAttributes(client: Client, access: Access, locationId: string): Promise<ListingAttribute[]> {
  const path = pathOf(locationId);
  try {
    return (await client.ask(access, `${path}/attributes`, { schema: Attributes, isOfLocation: true })).attributes;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.fault !== 'not_found') throw error;
    await client.ask(access, path, { query: { readMask: 'name' }, schema: Location, isOfLocation: true });
    return [];
  }
}

interface AttributeUpdate {
  locationId: string;
  changes: AttributeChange[];
}

/** In the mask and in the list: set. Only in the mask: deleted. */
async function updateAttributes(
  client: Client,
  access: Access,
  { locationId, changes }: AttributeUpdate,
): Promise<ListingAttribute[]> {
  const set = changes.filter(({ value }) => value !== undefined);
  const answer = await client.ask(access, `${pathOf(locationId)}/attributes`, {
    change: {
      name: `locations/${locationId}/attributes`,
      attributes: set.map(({ name, value }) => ({ name, ...value })),
    },
    query: { attributeMask: changes.map(({ name }) => name).join(',') },
    schema: Attributes,
    isOfLocation: true,
    toPath: (field) => attributePath(field, set, changes),
  });
  return answer.attributes;
}

/** Maps an index into the sent list, or an attribute's name, to the caller's path. */
function attributePath(field: string, set: AttributeChange[], changes: AttributeChange[]): string | undefined {
  const [, at, rest = ''] = /^(?:attributes\.)?attributes\.(\d+)(.*)$/.exec(dotted(field)) ?? [];
  if (at !== undefined) return `${set[Number(at)]?.path ?? 'attributes'}${rest}`;
  const named = changes.find(({ name }) => name === field || name === `attributes/${field}`);
  if (named) return named.path;
  return dotted(field) === 'attributeMask' ? 'attributeMask' : 'attributes';
}

async function listAttributeKinds(client: Client, access: Access, locationId: string): Promise<AttributeKind[]> {
  const kinds: AttributeKind[] = [];
  const query = { parent: `locations/${locationId}`, pageSize: '200' };
  const call = { schema: Kinds, query, isOfLocation: true };
  for await (const { attributeMetadata } of client.pages(access, '/attributes', call)) kinds.push(...attributeMetadata);
  return kinds;
}
