import { createHash } from 'node:crypto';

const closed = { 'default-src': "'none'", 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" };

/** A Content-Security-Policy that allows nothing but the given sources. */
export const policy = (sources: Record<string, string>): string =>
  Object.entries({ ...closed, ...sources })
    .map(([directive, source]) => `${directive} ${source}`)
    .join('; ');

/** The hashes that allow exactly the inline elements of this page. */
export const inlineHashes = (html: string, element: 'script' | 'style'): string =>
  [...html.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'))]
    .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .join(' ');
