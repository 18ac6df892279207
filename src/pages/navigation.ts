const pages = [
  ['/', 'Overview'],
  ['/ads', 'Ads'],
  ['/deliveries', 'Deliveries'],
  ['/stops', 'Stops'],
  ['/docs', 'REST reference'],
  ['/graphql', 'GraphQL explorer'],
] as const;

/** The links to all pages; `path` is that of the current one. */
export const navigation = (path: string): string =>
  `<nav class="site" aria-label="Site"><ul>${pages.map(([href, name]) => `<li><a href="${href}"${currentMark(href, path)}>${name}</a></li>`).join('')}</ul></nav>`;

/** Pages below a linked page mark it as the current section. */
function currentMark(href: string, path: string): string {
  if (path === href) return ' aria-current="page"';
  return path.startsWith(`${href}/`) ? ' aria-current="true"' : '';
}

export const navigationHeight = '2.75rem';

/** The style of the links; it depends on nothing else, because pages of libraries include it too. */
export const navigationStyle = `
.site { --link: #0b57c2; --current: #1b1f27; font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
.site-header { box-sizing: border-box; height: ${navigationHeight}; padding: 0 1rem; overflow: auto; background: #fff; border-bottom: 1px solid #dfe3e9; }
@media (prefers-color-scheme: dark) {
  .site { --link: #8ab8ff; --current: #e8ebf0; }
  .site-header { background: #1b2029; border-color: #303845; }
}
.site ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; margin: 0; padding: 0; list-style: none; }
.site-header .site ul { flex-wrap: nowrap; white-space: nowrap; }
.site li { margin: 0; padding: 0; }
.site li a { display: inline-block; padding: .5rem 0; color: var(--link); text-decoration: none; border-bottom: 2px solid transparent; }
.site li a:hover { text-decoration: underline; }
.site li a[aria-current] { color: var(--current); font-weight: 600; border-bottom-color: var(--link); }
.site li a:focus-visible { outline: 3px solid var(--link); outline-offset: -3px; }
`;

/** The links above a page of a library. */
export const navigationHeader = (path: string): string => `<header class="site-header">${navigation(path)}</header>`;
