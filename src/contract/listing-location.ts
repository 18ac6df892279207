import { z } from 'zod';
import { linkProblem } from '../lib/web-address.ts';
import { checkedBy, OpenText, Text } from './common.ts';
import { CountryCode } from './country-codes.ts';
import { HoursPeriods, SpecialHourPeriods } from './listing-hours.ts';
import { withLimits } from './limits.ts';

/** Left out, or null to clear. */
const clearable = <T extends z.ZodType>(schema: T) => schema.nullable().optional();
const text = OpenText.max(1000);
const words = (longest: number, description?: string) => withLimits(Text.max(longest), description);

const categoryName = z
  .string()
  .max(255)
  .regex(/^categories\/\S+$/, 'must look like categories/gcid:garden_center');
const ListingCategory = z
  .strictObject({
    name: categoryName.describe('Such as categories/gcid:garden_center'),
    displayName: clearable(text).describe('As read; the platform sets it'),
    serviceTypes: clearable(z.array(z.unknown()).max(100)).describe('As read; the platform sets them'),
    moreHoursTypes: clearable(z.array(z.unknown()).max(100)).describe('As read; the platform sets them'),
  })
  .meta({ id: 'ListingCategory', description: 'What kind of business it is' });

const Money = z
  .strictObject({
    currencyCode: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be a currency code such as USD')
      .describe('Such as USD'),
    units: clearable(
      z
        .string()
        .max(20)
        .regex(/^-?\d+$/, 'must be a whole number in quotes'),
    ).describe('Whole currency units, as a string'),
    nanos: clearable(z.int().min(-999_999_999).max(999_999_999)).describe('Billionths of a unit'),
  })
  .meta({ id: 'ListingMoney', description: 'A price' });

const ServiceItem = z
  .strictObject({
    structuredServiceItem: clearable(
      z
        .strictObject({
          serviceTypeId: words(300, 'Such as job_type_id:pruning'),
          description: clearable(words(300, 'What it includes')),
        })
        .meta({ id: 'StructuredServiceItem', description: "A service of the platform's own list" }),
    ),
    freeFormServiceItem: clearable(
      z
        .strictObject({
          category: categoryName.describe('One that sells services'),
          label: z
            .strictObject({
              displayName: words(140, 'Name of the service'),
              description: clearable(words(250, 'What it includes')),
              languageCode: clearable(text).describe('The language of both'),
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
    revision: clearable(z.int()).describe('The version of this form of address'),
    regionCode: CountryCode.describe('Country, by its code'),
    languageCode: clearable(text).describe('The language of the address'),
    postalCode: clearable(text).describe('Postal code'),
    sortingCode: clearable(text).describe('Sorting code, in some countries'),
    administrativeArea: clearable(text).describe('State or province'),
    locality: clearable(text).describe('Town'),
    sublocality: clearable(text).describe('Part of the town'),
    addressLines: clearable(z.array(text).max(5)).describe('Street and number'),
    recipients: clearable(z.array(text).max(20)).describe('Who receives mail'),
    organization: clearable(text).describe('The organisation at the address'),
  })
  .meta({ id: 'PostalAddress', description: 'Where the business is' });

const PlaceInfo = z
  .strictObject({
    placeName: clearable(text).describe('Display name'),
    placeId: Text.max(255).describe('Its place id'),
  })
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
        .strictObject({
          placeInfos: clearable(z.array(PlaceInfo).max(20)).describe('The places that the business serves'),
        })
        .meta({ id: 'ServicePlaces', description: 'The places that are served' }),
    ),
    regionCode: clearable(CountryCode).describe('Country, by its code'),
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
        .strictObject({
          year: clearable(z.int().min(1).max(9999)).describe('In full; the date is within a year from now'),
          month: clearable(z.int().min(1).max(12)).describe('1 to 12; needed beside the year'),
          day: clearable(z.int().min(1).max(31)).describe('1 to 31, if it is known'),
        })
        .meta({ id: 'OpeningDate', description: 'When the business first opened' }),
    ),
  })
  .meta({ id: 'OpenInfo', description: 'Whether the business is open' });

const RelevantLocation = z
  .strictObject({
    placeId: Text.max(255).describe('Its place id'),
    relationType: Text.max(64)
      .regex(
        /^(?:DEPARTMENT_OF|INDEPENDENT_ESTABLISHMENT_IN)$/,
        'must be DEPARTMENT_OF or INDEPENDENT_ESTABLISHMENT_IN',
      )
      .describe('DEPARTMENT_OF or INDEPENDENT_ESTABLISHMENT_IN'),
  })
  .meta({ id: 'RelevantLocation', description: 'Another location that this one belongs to' });

const hoursPeriods = HoursPeriods.describe('All periods; an empty list for none');

/** All fields of a location update, in the platform's own names and shapes. */
export const locationFields = {
  regularHours: clearable(
    z.strictObject({ periods: hoursPeriods }).meta({ id: 'BusinessHours', description: 'The weekly opening hours' }),
  ),
  specialHours: clearable(
    z
      .strictObject({
        specialHourPeriods: SpecialHourPeriods.describe('All special days; an empty list for none'),
      })
      .meta({ id: 'SpecialHours', description: 'Days that differ from the weekly hours' }),
  ),
  profile: clearable(
    z
      .strictObject({ description: clearable(words(750, 'In words')) })
      .meta({ id: 'ListingProfile', description: 'Description of the business' }),
  ),
  websiteUri: clearable(z.string().max(2048).superRefine(checkedBy(linkProblem))).describe(
    'The website of this location',
  ),
  phoneNumbers: clearable(
    z
      .strictObject({
        primaryPhone: Text.max(64).describe('Primary and additional phones are replaced together'),
        additionalPhones: withLimits(z.array(Text.max(64)).max(2), 'An empty list for none'),
      })
      .meta({ id: 'ListingPhones', description: 'Replaced as a whole' }),
  ),
  categories: z
    .strictObject({
      primaryCategory: ListingCategory,
      additionalCategories: z.array(ListingCategory).max(20).describe('An empty list for none'),
    })
    .meta({ id: 'ListingCategories', description: 'Replaced as a whole' })
    .optional(),
  serviceItems: clearable(z.array(ServiceItem).max(500)).describe('Replaces the whole list'),
  title: words(750, 'The name of the business').optional(),
  storeCode: clearable(text.max(64)).describe("The business's own code for the location"),
  storefrontAddress: clearable(PostalAddress),
  serviceArea: clearable(ServiceArea),
  labels: clearable(withLimits(z.array(Text.max(255)).max(100), 'Tags that only the business sees')),
  adWordsLocationExtensions: clearable(
    z
      .strictObject({ adPhone: Text.max(64).describe('Phone number for ads') })
      .meta({ id: 'LocationExtensions', description: 'What ads show of the location' }),
  ),
  latlng: clearable(
    z
      .strictObject({
        latitude: z.number().min(-90).max(90).describe('Degrees north'),
        longitude: z.number().min(-180).max(180).describe('Degrees east'),
      })
      .meta({ id: 'LatLng', description: 'A point; the platform takes it from approved apps only' }),
  ),
  openInfo: clearable(OpenInfo),
  relationshipData: clearable(
    z
      .strictObject({
        parentLocation: clearable(RelevantLocation),
        childrenLocations: clearable(z.array(RelevantLocation).max(100)).describe('Locations inside this one'),
        parentChain: clearable(text).describe('The chain that it belongs to'),
      })
      .meta({ id: 'RelationshipData', description: 'How locations belong together' }),
  ),
  moreHours: clearable(
    z
      .array(
        z
          .strictObject({
            hoursTypeId: Text.max(255).describe('Id of the hours type, from the category'),
            periods: hoursPeriods,
          })
          .meta({ id: 'MoreHours', description: 'Hours of one service, such as delivery' }),
      )
      .max(100),
  ).describe('Hours of single services, such as delivery'),
};
