import { z } from 'zod';
import { Device, DistanceUnit, Gender } from './ad-enums.ts';
import { Keyword } from './ad-keywords.ts';

const text = (description: string) => z.string().nullable().describe(description);
const texts = (description: string) => z.array(z.string()).nullable().describe(description);

const AdVideo = z
  .strictObject({
    url: text('Address of the video file'),
    thumbnailUrl: text('Address of the picture shown before it plays'),
  })
  .meta({ id: 'AdVideo', description: 'A video and its picture' });

const AdImages = z
  .strictObject({
    landscape: text('Address of the image of ratio 1.91:1'),
    square: text('Address of the image of ratio 1:1'),
  })
  .meta({ id: 'AdImages', description: 'The two marketing images of a responsive display ad' });

/** What an ad shows, in the fields of createAd. */
export const AdCreative = z
  .strictObject({
    headline: text('Headline'),
    longHeadline: text('Longer headline, or the description of a link'),
    body: text('Text of the ad'),
    callToAction: text(
      'Text of the button, as createAd takes it; of an ad that was not created here, as the platform names it',
    ),
    linkUrl: text('Destination of the ad'),
    imageUrl: text('Address of the image'),
    images: AdImages.nullable(),
    video: AdVideo.nullable(),
    businessName: text('Name of the business that the ad shows'),
    additionalHeadlines: texts('Further headlines of a search ad'),
    additionalDescriptions: texts('Further descriptions of a search ad'),
  })
  .meta({ id: 'AdCreative', description: 'What an ad shows' });

const CityTarget = z
  .strictObject({
    key: z.string().describe("The platform's city key, from targeting search"),
    radius: z.number().nullable().describe('How far around it, in distanceUnit; null for the city alone'),
    distanceUnit: DistanceUnit.nullable(),
    countryCode: text('ISO 3166-1 alpha-2 code of its country'),
  })
  .meta({ id: 'CityTarget', description: 'A city that is targeted or excluded' });

const RegionTarget = z
  .strictObject({
    key: z.string().describe("The platform's region key, from targeting search"),
    countryCode: text('ISO 3166-1 alpha-2 code of its country'),
  })
  .meta({ id: 'RegionTarget', description: 'A state or province that is targeted or excluded' });

const AdInterest = z
  .strictObject({
    id: z.string().describe("The platform's id of the interest"),
    name: z.string().describe('Name of the interest'),
  })
  .meta({ id: 'AdInterest', description: 'An interest that is targeted' });

/** Who sees an ad, in the fields of createAd. */
export const Targeting = z
  .strictObject({
    countries: texts('ISO 3166-1 alpha-2 codes'),
    cities: z.array(CityTarget).nullable().describe('Cities'),
    regions: z.array(RegionTarget).nullable().describe('States or provinces'),
    interests: z.array(AdInterest).nullable().describe('Interests'),
    languages: texts('ISO 639-1 codes of languages'),
    devices: z.array(Device).nullable().describe('Kinds of devices that it is limited to; null if it is not'),
    keywords: texts('Texts of the keywords of a search ad; `keywordsWithMatchType` says what they match'),
    keywordsWithMatchType: z.array(Keyword).nullable().describe('Keywords of a search ad'),
    negativeKeywords: z.array(Keyword).nullable().describe('Keywords whose searches do not show it'),
    excludedCountries: texts('ISO 3166-1 alpha-2 codes of countries where it is not shown'),
    excludedRegions: z.array(RegionTarget).nullable().describe('States or provinces where it is not shown'),
    excludedCities: z.array(CityTarget).nullable().describe('Cities where it is not shown'),
    excludedAudienceIds: texts('Custom audiences whose members do not see it'),
    ageMin: z.int().nullable().describe('Lowest age'),
    ageMax: z.int().nullable().describe('Highest age; 65 means 65 and older'),
    gender: Gender.nullable(),
    audienceId: text('A custom audience of the platform'),
    advantageAudience: z.int().nullable().describe('1 if the platform may widen the audience'),
  })
  .meta({ id: 'Targeting', description: 'Who sees an ad' });

/** The members of createAd's promotedObject. */
export const PromotedObject = z
  .strictObject({
    pixelId: text('The pixel or tag that counts conversions'),
    customEventType: text('The event that it is optimised for, such as PURCHASE or LEAD'),
    pageId: text('The page'),
    applicationId: text('The app'),
    objectStoreUrl: text('Address of the app in its store'),
    customConversionId: text('The custom conversion'),
    productCatalogId: text('The product catalogue'),
    productSetId: text('The set within the catalogue'),
    leadFormId: text('The lead form'),
  })
  .meta({ id: 'PromotedObject', description: 'What an ad optimises for' });
