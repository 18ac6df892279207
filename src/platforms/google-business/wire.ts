import { z } from 'zod';

const text = z.string().optional().catch(undefined);
const list = <T extends z.ZodType>(item: T) => z.array(item).default([]);

const Page = z.object({ nextPageToken: text });
export const Accounts = Page.extend({ accounts: list(z.object({ name: z.string() })) });

const Listed = z.object({
  name: z.string(),
  title: z.string().default(''),
  storeCode: text,
  websiteUri: text,
  storefrontAddress: z
    .object({ addressLines: list(z.string()), postalCode: text, locality: text, regionCode: text })
    .optional()
    .catch(undefined),
  phoneNumbers: z.object({ primaryPhone: text }).optional().catch(undefined),
  categories: z
    .object({ primaryCategory: z.object({ name: text, displayName: text }).optional() })
    .optional()
    .catch(undefined),
});
export type Listed = z.infer<typeof Listed>;
export const Locations = Page.extend({ locations: list(Listed) });
/** The fields that the list needs; the platform rejects a list without a mask. */
export const listedPaths = 'name,title,storeCode,storefrontAddress,websiteUri,phoneNumbers,categories';

export const Location = z.record(z.string(), z.unknown());

const scalar = z.union([z.boolean(), z.string()]);
const Attribute = z.object({
  name: z.string(),
  valueType: text,
  values: z.array(scalar).optional(),
  uriValues: z.array(z.object({ uri: z.string() })).optional(),
  repeatedEnumValue: z
    .object({ setValues: z.array(z.string()).optional(), unsetValues: z.array(z.string()).optional() })
    .optional(),
});
export const Attributes = z.object({ attributes: list(Attribute) });

const Kind = z
  .object({
    parent: z.string(),
    valueType: z.string(),
    displayName: text,
    groupDisplayName: text,
    valueMetadata: list(z.object({ value: scalar, displayName: text })),
    repeatable: z.boolean().default(false),
    deprecated: z.boolean().default(false),
  })
  .transform(({ parent, valueMetadata, repeatable, deprecated, ...rest }) => ({
    name: parent,
    ...rest,
    choices: valueMetadata,
    isRepeatable: repeatable,
    isDeprecated: deprecated,
  }));
export const Kinds = Page.extend({ attributeMetadata: list(Kind) });
