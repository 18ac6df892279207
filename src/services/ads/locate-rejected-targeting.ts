import type { CreateAdInput } from '../../contract/ad-input.ts';
import { PlatformError } from '../../platforms/error.ts';

/** Shorter ids produce false matches. */
const shortestId = 3;

/**
 * Maps a rejection to the individual targeting entries it mentions; platforms often reject the targeting as a whole, and tell by an
 * id which of it they do not take. What they blame beside the targeting stays as they say it.
 */
export function locateRejectedTargeting(error: unknown, input: CreateAdInput): unknown {
  if (!(error instanceof PlatformError) || error.fault !== 'rejected') return error;
  const { fields = {}, message = '', details = [] } = error.upstream;
  const isElsewhere = Object.keys(fields).some((path) => !isTargeting(path));
  if (isElsewhere) return error;
  const said = `${error.message} ${message} ${JSON.stringify(details)}`;
  const quoted = entriesOf(input).filter(({ id }) => id.length >= shortestId && quotes(said, id));
  if (quoted.length === 0) return error;
  const words = Object.values(fields)[0] ?? [message || error.message];
  const upstream = { ...error.upstream, fields: Object.fromEntries(quoted.map(({ path }) => [path, words])) };
  return new PlatformError(error.platform, error.fault, error.message, upstream, { cause: error });
}

/** Whole parts of the targeting; an entry that the platform named itself stays. */
const isTargeting = (path: string): boolean =>
  ['countries', 'cities', 'regions', 'interests', 'audienceId'].includes(path);

function entriesOf({ interests = [], cities = [], regions = [], audienceId }: CreateAdInput) {
  return [
    ...interests.map(({ id }, at) => ({ path: `interests.${at}`, id })),
    ...cities.map(({ key: id }, at) => ({ path: `cities.${at}`, id })),
    ...regions.map(({ key: id }, at) => ({ path: `regions.${at}`, id })),
    ...(audienceId === undefined ? [] : [{ path: 'audienceId', id: audienceId }]),
  ];
}

/** As a word of its own: an id may be a part of a longer one. */
function quotes(text: string, id: string): boolean {
  const isInner = (sign = ''): boolean => /[\p{L}\p{N}]/u.test(sign);
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    if (!isInner(text[at - 1]) && !isInner(text[at + id.length])) return true;
  }
  return false;
}
