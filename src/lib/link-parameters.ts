interface Parameter {
  key: string;
  value: string;
}

const macro = /\{([^{}]*)\}/;

/** The names in braces in a value. */
export const macrosIn = (value: string): string[] => value.split(macro).filter((_, at) => at % 2 === 1);

/** A query string. Text is percent-encoded; names in braces are written as `macroOf` returns them. */
export const queryOf = (parameters: Parameter[], macroOf = (name: string): string => `{${name}}`): string =>
  parameters
    .map(({ key, value }) => {
      const parts = value.split(macro).map((part, at) => (at % 2 === 1 ? macroOf(part) : encoded(part)));
      return `${key}=${parts.join('')}`;
    })
    .join('&');

/** Also what is valid in a query, but ends a link in a text. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

/** Adds a query string to a link, before its fragment; the link itself stays as it is. */
export function withQuery(link: string, query: string): string {
  const at = link.indexOf('#');
  const [base, fragment] = at < 0 ? [link, ''] : [link.slice(0, at), link.slice(at)];
  const joint = /[?&]$/.test(base) ? '' : base.includes('?') ? '&' : '?';
  return `${base}${joint}${query}${fragment}`;
}

/** The names of the parameters that a link has. */
export const keysIn = (link: string): string[] => {
  const [base = ''] = link.split('#');
  const at = base.indexOf('?');
  return at < 0 ? [] : [...new URLSearchParams(base.slice(at)).keys()];
};
