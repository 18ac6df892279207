import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { PlatformError } from '../../platforms/error.ts';

type Fields = PlatformError['upstream']['fields'];

/** Shorter ids produce false matches. */
const shortestId = 3;

/**
 * Maps a rejection to the individual targeting entries it mentions; platforms often reject the targeting as a whole, and name
 * the rejected entry by its id. Fields outside the targeting stay as the platform names them.
 */
export function locateRejectedTargeting({ fault, message, upstream }: PlatformError, input: CreateAdInput): Fields {
  const { fields } = upstream;
  if (fault !== 'rejected' || Object.keys(fields ?? {}).some((path) => !isTargeting(path))) return fields;
  const said = `${message} ${upstream.message ?? ''} ${JSON.stringify(upstream.details ?? [])}`;
  const quoted = entriesOf(input).filter(({ id }) => id.length >= shortestId && quotes(said, id));
  if (quoted.length === 0) return fields;
  const words = Object.values(fields ?? {})[0] ?? [upstream.message || message];
  return Object.fromEntries(quoted.map(({ path }) => [path, words]));
}

/** Whole parts of the targeting; an entry that the platform named itself stays. */
const isTargeting = (path: string): boolean =>
  [...lists, 'countries', 'excludedCountries', 'audienceId'].includes(path);

const lists = ['interests', 'cities', 'regions', 'excludedCities', 'excludedRegions', 'excludedAudienceIds'] as const;

const entriesOf = (input: CreateAdInput): { path: string; id: string }[] => [
  ...lists.flatMap((list) => (input[list] ?? []).map((entry, at) => ({ path: `${list}.${at}`, id: idOf(entry) }))),
  ...(input.audienceId === undefined ? [] : [{ path: 'audienceId', id: input.audienceId }]),
];

const idOf = (entry: string | { id: string } | { key: string }): string =>
  typeof entry === 'string' ? entry : 'id' in entry ? entry.id : entry.key;

/** As a word of its own: an id may be a part of a longer one. */
function quotes(text: string, id: string): boolean {
  const isInner = (sign = ''): boolean => /[\p{L}\p{N}]/u.test(sign);
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    if (!isInner(text[at - 1]) && !isInner(text[at + id.length])) return true;
  }
  return false;
}
