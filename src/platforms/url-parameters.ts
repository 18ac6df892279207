import type { AdPlatform, platforms } from '../contract/platforms.ts';
import type { UrlMacro, UrlParameter } from '../contract/url-parameters.ts';
import { queryOf, withQuery } from '../lib/link-parameters.ts';

/** The platform's macro for each name that its row in the capability table lists. */
export type MacrosOf<P extends AdPlatform> = Record<(typeof platforms)[P]['urlMacros'][number], string>;
type Macros = Partial<Record<UrlMacro, string>>;

/** URL parameters as a query string of the platform. */
export const urlQuery = (parameters: UrlParameter[] | undefined, macros: Macros): string | undefined =>
  parameters && queryOf(parameters, (name) => macros[name as UrlMacro] ?? `{${name}}`);

/** A link with URL parameters, on platforms that have no field for them. */
export function linkWith(
  { linkUrl, urlParameters }: { linkUrl?: string; urlParameters?: UrlParameter[] },
  macros: Macros,
): string | undefined {
  const query = urlQuery(urlParameters, macros);
  return linkUrl === undefined || query === undefined ? linkUrl : withQuery(linkUrl, query);
}

/** The parameters of a query string that was read from the platform; what cannot be decoded stays as it is. */
export function parametersIn(query: string, macros: Macros): UrlParameter[] {
  const marked = (text: string): string =>
    Object.entries(macros).reduce((rest, [name, word]) => rest.replaceAll(word, `\0${name}\0`), text);
  return query
    .replace(/^\?/, '')
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [key = '', ...rest] = pair.split('=');
      const parts = marked(rest.join('=')).split('\0');
      return { key: decoded(key), value: parts.map((part, at) => (at % 2 ? `{${part}}` : decoded(part))).join('') };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
