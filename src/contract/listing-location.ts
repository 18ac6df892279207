import { z } from 'zod';
import { HoursPeriod, SpecialHourPeriod } from './listing-hours.ts';

/** Left out, or null to clear. */
const clearable = <T extends z.ZodType>(schema: T) => schema.nullable().optional();
const text = z.string();
const words = (longest: number) => z.string().min(1).max(longest);

const categoryName = z.string().regex(/^categories\/\S+$/, 'must look like categories/gcid:garden_center');
const ListingCategory = z
  .strictObject({
    name: categoryName.describe('Such as categories/gcid:garden_center'),
    displayName: clearable(text).describe('As read; the platform sets it'),
    serviceTypes: clearable(z.array(z.unknown())).describe('As read; the platform sets them'),
    moreHoursTypes: clearable(z.array(z.unknown())).describe('As read; the platform sets them'),
  })
  .meta({ id: 'ListingCategory', description: 'What kind of business it is' });

const Money = z
  .strictObject({
    currencyCode: z.string().regex(/^[A-Z]{3}$/, 'must be a currency code such as USD'),
    units: clearable(z.string().regex(/^-?\d+$/, 'must be a whole number in quotes')).describe('Whole units, as text'),
    nanos: clearable(z.int()).describe('Billionths of a unit'),
  })
  .meta({ id: 'ListingMoney', description: 'A price' });

const ServiceItem = z
  .strictObject({
    structuredServiceItem: clearable(
      z
        .strictObject({ serviceTypeId: words(300), description: clearable(words(300)) })
        .meta({ id: 'StructuredServiceItem', description: "A service of the platform's own list" }),
    ),
    freeFormServiceItem: clearable(
      z
        .strictObject({
          category: categoryName,
          label: z
            .strictObject({
              displayName: words(140),
              description: clearable(words(250)),
              languageCode: clearable(text),
            })
            .meta({ id: 'ServiceLabel', description: 'A service in words' }),
        })
        .meta({ id: 'FreeFormServiceItem', description: "A service in the business's own words" }),
    ),
    price: clearable(Money),
  })
  .superRefine(({ structuredServiceItem: structured, freeFormServiceItem: free }, issues) => {
    if (!structured === !free)
      issues.addIssue({
        code: 'custom',
        message: 'needs exactly one of structuredServiceItem and freeFormServiceItem',
      });
  })
  .meta({ id: 'ServiceItem', description: 'A service that the business sells' });

const PostalAddress = z
  .strictObject({
    revision: clearable(z.int()),
    regionCode: z.string().regex(/^[A-Z]{2}$/, 'must be a country code such as NO'),
    languageCode: clearable(text),
    postalCode: clearable(text),
    sortingCode: clearable(text),
    administrativeArea: clearable(text),
    locality: clearable(text),
    sublocality: clearable(text),
    addressLines: clearable(z.array(text)),
    recipients: clearable(z.array(text)),
    organization: clearable(text),
  })
  .meta({ id: 'PostalAddress', description: 'Where the business is' });

const PlaceInfo = z
  .strictObject({ placeName: clearable(text), placeId: text })
  .meta({ id: 'PlaceInfo', description: 'A place that is served' });
const ServiceArea = z
  .strictObject({
    businessType: clearable(
      z
        .enum(['CUSTOMER_LOCATION_ONLY', 'CUSTOMER_AND_BUSINESS_LOCATION'])
        .meta({ id: 'ServiceBusinessType', description: 'Where customers are served' }),
    ),
    places: clearable(
      z
        .strictObject({ placeInfos: clearable(z.array(PlaceInfo)) })
        .meta({ id: 'ServicePlaces', description: 'The places that are served' }),
    ),
    regionCode: clearable(text),
  })
  .meta({ id: 'ServiceArea', description: 'Where the business goes to its customers' });

const OpenInfo = z
  .strictObject({
    status: clearable(
      z
        .enum(['OPEN', 'CLOSED_PERMANENTLY', 'CLOSED_TEMPORARILY'])
        .meta({ id: 'OpenStatus', description: 'Whether the business is open at all' }),
    ),
    canReopen: clearable(z.boolean()).describe('As read; the platform sets it'),
    openingDate: clearable(
      z
        .strictObject({ year: clearable(z.int()), month: clearable(z.int()), day: clearable(z.int()) })
        .meta({ id: 'OpeningDate', description: 'When the business first opened' }),
    ),
  })
  .meta({ id: 'OpenInfo', description: 'Whether the business is open' });

const RelevantLocation = z
  .strictObject({ placeId: text, relationType: text })
  .meta({ id: 'RelevantLocation', description: 'Another location that this one belongs to' });

/** Everything that an update of a location may carry, in the platform's own names and shapes. */
export const locationFields = {
  regularHours: clearable(
    z
      .strictObject({ periods: z.array(HoursPeriod) })
      .meta({ id: 'BusinessHours', description: 'The weekly opening hours' }),
  ),
  specialHours: clearable(
    z
      .strictObject({ specialHourPeriods: z.array(SpecialHourPeriod) })
      .meta({ id: 'SpecialHours', description: 'Days that differ from the weekly hours' }),
  ),
  profile: clearable(
    z
      .strictObject({ description: clearable(words(750)).describe('At most 750 characters') })
      .meta({ id: 'ListingProfile', description: 'What the business says of itself' }),
  ),
  websiteUri: clearable(z.url({ protocol: /^https?$/, error: 'must be an http or https address' })),
  phoneNumbers: clearable(
    z
      .strictObject({
        primaryPhone: text.describe('Both are replaced together'),
        additionalPhones: z.array(text).max(2).describe('At most two; an empty list for none'),
      })
      .meta({ id: 'ListingPhones', description: 'Replaced as a whole' }),
  ),
  categories: z
    .strictObject({ primaryCategory: ListingCategory, additionalCategories: z.array(ListingCategory) })
    .meta({ id: 'ListingCategories', description: 'Replaced as a whole' })
    .optional(),
  serviceItems: clearable(z.array(ServiceItem)).describe('Replaces the whole list'),
  title: words(750).optional().describe('The name of the business'),
  storeCode: clearable(text.max(64)).describe("The business's own code for the location"),
  storefrontAddress: clearable(PostalAddress),
  serviceArea: clearable(ServiceArea),
  labels: clearable(z.array(words(255))),
  adWordsLocationExtensions: clearable(
    z.strictObject({ adPhone: text }).meta({ id: 'LocationExtensions', description: 'What ads show of the location' }),
  ),
  latlng: clearable(
    z
      .strictObject({ latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) })
      .meta({ id: 'LatLng', description: 'A point; the platform takes it from approved apps only' }),
  ),
  openInfo: clearable(OpenInfo),
  relationshipData: clearable(
    z
      .strictObject({
        parentLocation: clearable(RelevantLocation),
        childrenLocations: clearable(z.array(RelevantLocation)),
        parentChain: clearable(text),
      })
      .meta({ id: 'RelationshipData', description: 'How locations belong together' }),
  ),
  moreHours: clearable(
    z.array(
      z
        .strictObject({ hoursTypeId: text, periods: z.array(HoursPeriod) })
        .meta({ id: 'MoreHours', description: 'Hours of one service, such as delivery' }),
    ),
  ),
};
