import { createHash } from 'node:crypto';

/** The ETag of a document in all its encodings: weak, because they differ byte by byte. */
export const tagOf = (content: Buffer): string =>
  `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;

/** Whether an `If-None-Match` header names a tag, which is compared weakly. */
export const hasTag = (header: string | undefined, tag: string): boolean =>
  header !== undefined && header.split(',').some((entry) => ['*', tag, tag.slice(2)].includes(entry.trim()));
