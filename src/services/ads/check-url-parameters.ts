import type { CreateAdInput } from '../../contract/ad-input.ts';
import { invalidValue, type Problem } from '../../contract/error.ts';
import { capabilityOf, type AdPlatform } from '../../contract/platforms.ts';
import type { UrlParameter } from '../../contract/url-parameters.ts';
import { keysIn, macrosIn, queryOf, withQuery } from '../../lib/link-parameters.ts';

interface ParameterList {
  path: string;
  parameters: UrlParameter[] | undefined;
  /** The links that they are added to, as far as they are known. */
  links: (string | null | undefined)[];
}

/** Problems of the URL parameters of an order and of its creatives. */
export const checkUrlParameters = (input: CreateAdInput, platform: AdPlatform): Problem[] =>
  listsOf(input).flatMap((list) => parameterProblems(platform, list));

function listsOf({ urlParameters, linkUrl, creatives, promotedObject }: CreateAdInput): ParameterList[] {
  const others = creatives?.filter((creative) => !creative.urlParameters).map((creative) => creative.linkUrl);
  return [
    { path: 'urlParameters', parameters: urlParameters, links: others ?? [linkUrl, promotedObject?.objectStoreUrl] },
    ...(creatives ?? []).map(({ urlParameters: own, linkUrl: link }, at) => ({
      path: `creatives.${at}.urlParameters`,
      parameters: own,
      links: [link],
    })),
  ];
}

/** What a platform cannot do with a list of parameters, or not with its link. */
export function parameterProblems(platform: AdPlatform, { path, parameters = [], links }: ParameterList): Problem[] {
  const known = links.filter((link): link is string => typeof link === 'string');
  const taken = new Set(known.flatMap(keysIn));
  const problems = parameters.flatMap(({ key, value }, at) => {
    const wrong = macroProblem(platform, value);
    return [
      ...(taken.has(key) ? [invalidValue(`${path}.${at}.key`, `${key} is already a parameter of the link`)] : []),
      ...(wrong ? [invalidValue(`${path}.${at}.value`, wrong)] : []),
    ];
  });
  const longest = Math.max(0, ...known.map((link) => withQuery(link, queryOf(parameters)).length));
  if (parameters.length === 0 || longest <= longestLink) return problems;
  const message = `make a link of ${longest} characters; it must have at most ${longestLink}`;
  return [...problems, invalidValue(path, message)];
}

/** The limit of any link of this API. */
const longestLink = 2048;

function macroProblem(platform: AdPlatform, value: string): string | undefined {
  const { urlMacros, replacesWholeValues = false } = capabilityOf(platform);
  const names = macrosIn(value);
  const foreign = names.filter((name) => !(urlMacros as readonly string[]).includes(name));
  if (foreign.length > 0) {
    const replaced = urlMacros.map((name) => `{${name}}`).join(', ');
    const what = replaced === '' ? 'no names in braces' : `only ${replaced}`;
    return `contains ${foreign.map((name) => `{${name}}`).join(', ')}, but platform ${platform} replaces ${what}`;
  }
  if (!replacesWholeValues || names.length === 0 || value === `{${names[0]}}`) return undefined;
  return `must be either text or one name in braces: platform ${platform} replaces whole values`;
}
