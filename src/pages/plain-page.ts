import { inlineHashes, policy } from '../lib/content-policy.ts';

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? mark);

const style = `<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; }
main { width: min(36rem, 100%); }
h1 { font-size: 1.4rem; line-height: 1.3; }
dt { font-weight: 600; } dd { margin: 0 0 .6rem; } code { overflow-wrap: anywhere; }
</style>`;

export const plainPageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policy({ 'style-src': inlineHashes(style, 'style') }),
};

/** A page with a title and a few lines; `content` is HTML. */
export const plainPage = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>${style}</head><body><main><h1>${escaped(title)}</h1>${content}</main></body></html>`;
