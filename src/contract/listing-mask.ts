import { z } from 'zod';
import { Text } from './common.ts';
import { locationFields } from './listing-location.ts';
import { keysOf, memberOf } from './members.ts';
import { nearest } from './parse.ts';

/** The trimmed, distinct entries of a mask. */
export const maskEntries = (mask: string): string[] => [
  ...new Set(
    mask
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
];

const reserved: Record<string, string> = {
  name: 'is set by the platform',
  metadata: 'is set by the platform',
  languageCode: 'cannot be changed once the location exists',
};
/** The platform replaces these as a whole. */
const whole = ['categories', 'phoneNumbers'];

const Written = z.strictObject(locationFields);
const Read = Written.extend({
  name: z.string(),
  languageCode: z.string(),
  metadata: z.unknown(),
});

/** All readable fields of a location. */
export const readablePaths = keysOf(Read);

/** The problem of a path; undefined if the platform has such a field. */
function unknownIn(path: string, fields: z.ZodType): string | undefined {
  let at: z.ZodType | undefined = fields;
  let parent = '';
  for (const step of path.split('.')) {
    const known = keysOf(at);
    if (known.length === 0) return `names ${path.slice(0, 100)}, but ${parent} can be named only as a whole`;
    if (!known.includes(step)) {
      const near = nearest(step, known);
      const hint = near ? `; did you mean ${parent ? `${parent}.` : ''}${near}?` : `; known are ${known.join(', ')}`;
      return `names ${path.slice(0, 100)}, which is not a known field${hint}`;
    }
    at = memberOf(at, step);
    parent = parent ? `${parent}.${step}` : step;
  }
  return undefined;
}

function unwritable(path: string): string | undefined {
  const [root = '', below] = path.split('.');
  if (Object.hasOwn(reserved, root)) return `names ${root}, which ${reserved[root]}`;
  if (below !== undefined && whole.includes(root))
    return `names ${path.slice(0, 100)}, but ${root} is replaced only as a whole`;
  return unknownIn(path, Written);
}

const attributeName = /^(?:attributes\/)?[\w-]{1,200}$/;

/** More than the number of fields. */
const maxEntries = 500;

const maskOf = (problemOf: (entry: string) => string | undefined) =>
  Text.max(5000)
    .superRefine((mask, issues) => {
      const entries = maskEntries(mask);
      if (entries.length === 0) issues.addIssue({ code: 'custom', message: 'must name at least one field' });
      if (entries.length > maxEntries)
        issues.addIssue({ code: 'custom', message: `must name at most ${maxEntries} fields` });
      for (const entry of entries.slice(0, maxEntries)) {
        const message = problemOf(entry);
        if (message) issues.addIssue({ code: 'custom', message });
      }
    })
    .meta({ commaSeparated: true });

export const UpdateMask = maskOf(unwritable).describe(
  'The fields to change, separated by commas, such as websiteUri,profile.description; only these apply',
);
export const ReadMask = maskOf((entry) => unknownIn(entry, Read)).describe(
  'The fields to read, separated by commas; all if omitted',
);
export const AttributeMask = maskOf((entry) =>
  attributeName.test(entry) ? undefined : `names ${entry.slice(0, 100)}, which cannot be an attribute`,
).describe('The attributes to change, separated by commas, such as has_delivery,wi_fi; only these apply');

export const AttributeName = z
  .string()
  .trim()
  .regex(attributeName, 'must be a name such as has_delivery or attributes/has_delivery')
  .describe('Bare, or as the platform writes it: attributes/has_delivery');
