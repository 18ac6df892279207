import { z } from 'zod';
import { DistanceUnit } from './ad-enums.ts';
import { field } from './ad-fields.ts';
import { callsToAction } from './capability.ts';
import { HttpUrl, RemoteId, Text } from './common.ts';
import { CountryCode } from './country-codes.ts';
import { withLimits } from './limits.ts';
import { UrlParametersInput } from './url-parameters.ts';

// More than any platform allows; the rules of each platform are stricter.
export const AdText = Text.max(5000);

export const AdVideoInput = z
  .strictObject({
    url: HttpUrl.describe('Address of the video file'),
    thumbnailUrl: HttpUrl.optional().describe('Address of the picture shown before it plays; platform A needs it'),
  })
  .meta({ id: 'AdVideoInput', description: 'A video and its picture' });

export const AdImagesInput = z
  .strictObject({
    landscape: HttpUrl.optional().describe('Address of an image of ratio 1.91:1; imageUrl may stand for it'),
    square: HttpUrl.optional().describe('Address of an image of ratio 1:1'),
  })
  .meta({ id: 'AdImagesInput', description: 'The two marketing images of a responsive display ad' });

export const AdCreativeInput = z
  .strictObject({
    headline: withLimits(Text.max(255), 'Title of the ad'),
    body: AdText.describe('Text of the ad'),
    linkUrl: HttpUrl.describe('Destination of the ad'),
    callToAction: z
      .enum(callsToAction.slice(0, 10) as ['LEARN_MORE'])
      .meta({ id: 'CreativeCallToAction', description: 'The text of the button on platform A' }),
    imageUrl: HttpUrl.optional().describe('Address of the image; exactly one of imageUrl and video'),
    video: AdVideoInput.optional().describe('The video; exactly one of imageUrl and video'),
    urlParameters: withLimits(
      UrlParametersInput.optional(),
      'Added to linkUrl, instead of `urlParameters` of the request',
    ),
  })
  .meta({ id: 'AdCreativeInput', description: 'One ad of a multi-creative request' });

const CountryOfPlace = CountryCode.optional().describe('The country, from targeting search; the EU rule reads it');

/** How far ahead a start may be, and how close to now one means now. */
export const startLimits = { daysAhead: 365, minutesOfNow: 5 };

/** The minimum and maximum radius around a city by unit. */
export const radii = { mile: [10, 50], kilometer: [17, 80] } as const;
const radiusText = Object.entries(radii)
  .map(([unit, [least, most]]) => `${least} to ${most} ${unit}s`)
  .join(' or ');

export const CityTargetInput = z
  .strictObject({
    key: RemoteId.describe("The platform's city key, from targeting search"),
    radius: z.number().positive().optional().describe(`Around it: ${radiusText}`),
    distance_unit: DistanceUnit.optional().describe('Goes with radius'),
    countryCode: CountryOfPlace,
  })
  .meta({ id: 'CityTargetInput', description: 'A city to target or to exclude' });

export const RegionTargetInput = z
  .strictObject({
    key: RemoteId.describe("The platform's region key, from targeting search"),
    countryCode: CountryOfPlace,
  })
  .meta({ id: 'RegionTargetInput', description: 'A state or province to target or to exclude' });

export const AdInterestInput = z
  .strictObject({
    id: RemoteId.describe('From the interest search'),
    name: Text.max(255).describe('From the interest search'),
  })
  .meta({ id: 'AdInterestInput', description: 'An interest to target' });

const ofAdSet = { level: 'ad_set' } as const;

export const PromotedObjectInput = z
  .strictObject({
    pixelId: field(RemoteId.optional(), ofAdSet, 'The pixel or tag that counts conversions'),
    customEventType: field(
      z
        .string()
        .max(64)
        .regex(/^[A-Z][A-Z0-9_]*$/, 'must be an upper-case event name such as PURCHASE')
        .optional(),
      ofAdSet,
      'The event to optimise for, such as PURCHASE or LEAD',
    ),
    pageId: RemoteId.optional().describe('The page; defaults to the connected page where one is required'),
    applicationId: RemoteId.optional().describe('The app'),
    objectStoreUrl: HttpUrl.optional().describe('Address of the app in its store'),
    customConversionId: field(RemoteId.optional(), ofAdSet, 'The custom conversion; conversions on F need it'),
    productCatalogId: field(RemoteId.optional(), ofAdSet, 'The product catalogue'),
    productSetId: field(RemoteId.optional(), ofAdSet, 'The set within the catalogue'),
    leadFormId: RemoteId.optional().describe('The lead form'),
  })
  .meta({
    id: 'PromotedObjectInput',
    description: 'What the ad optimises for; which members are needed depends on platform and goal',
  });

export const AttributionWindowInput = z
  .strictObject({
    eventType: z
      .enum(['CLICK_THROUGH', 'VIEW_THROUGH', 'ENGAGED_VIDEO_VIEW'])
      .meta({ id: 'AttributionEvent', description: 'What counts towards a conversion' }),
    windowDays: withLimits(
      z.literal([1, 7, 28], { error: 'must be 1, 7 or 28' }),
      'Days; views count for a single day',
    ),
  })
  .meta({ id: 'AttributionWindowInput', description: 'How long after an event a conversion still counts' });

export const BrandIdentityInput = z
  .strictObject({
    displayName: withLimits(Text.max(40), 'Display name of the identity'),
    imageUrl: HttpUrl.describe('Address of its picture'),
  })
  .meta({ id: 'BrandIdentityInput', description: 'The custom identity of an ad on platform D' });
