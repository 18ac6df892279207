import { z } from 'zod';
import { withLimits } from './limits.ts';
import { Cursor, InstantOut, Limit, Line, ObjectId, OpenText, Page, Pagination } from './common.ts';

export const Profile = z
  .strictObject({
    _id: ObjectId,
    userId: ObjectId,
    name: z.string().describe('Unique among the profiles of the user'),
    description: z.string().nullable().describe('What it is for'),
    color: z.string().nullable().describe('#rrggbb'),
    isDefault: z.boolean().describe('Created with the user'),
    isOverLimit: z.boolean().describe('Exceeds the plan: no further account can be connected to it'),
    createdAt: InstantOut,
    updatedAt: InstantOut,
  })
  .meta({ id: 'Profile', description: 'A group of connected accounts: a client, a brand, a shop' });
export type Profile = z.infer<typeof Profile>;

/** In one form of Unicode, because names that look alike count as the same. */
const Name = withLimits(Line.normalize().max(100), 'Unique among the profiles of the user');
const Description = withLimits(OpenText.max(500).nullable(), 'What it is for; null clears');
const Color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must look like #1a2b3c')
  .nullable()
  .describe('#rrggbb; null clears');

export const ListProfilesInput = z
  .strictObject({ page: Page, cursor: Cursor, limit: Limit })
  .meta({ id: 'ListProfilesInput' });
export type ListProfilesInput = z.output<typeof ListProfilesInput>;

export const ListProfilesResult = z
  .strictObject({ profiles: z.array(Profile), pagination: Pagination })
  .meta({ id: 'ListProfilesResult' });
export type ListProfilesResult = z.infer<typeof ListProfilesResult>;

export const GetProfileInput = z.strictObject({ profileId: ObjectId }).meta({ id: 'GetProfileInput' });
export type GetProfileInput = z.output<typeof GetProfileInput>;

export const CreateProfileInput = z
  .strictObject({ name: Name, description: Description.optional(), color: Color.optional() })
  .meta({ id: 'CreateProfileInput', description: 'A new profile' });
export type CreateProfileInput = z.output<typeof CreateProfileInput>;

export const UpdateProfileInput = z
  .strictObject({
    profileId: ObjectId,
    name: Name.optional(),
    description: Description.optional(),
    color: Color.optional(),
  })
  .meta({ id: 'UpdateProfileInput', description: 'Only given fields change' });
export type UpdateProfileInput = z.output<typeof UpdateProfileInput>;

export const DeleteProfileInput = z.strictObject({ profileId: ObjectId }).meta({ id: 'DeleteProfileInput' });
export type DeleteProfileInput = z.output<typeof DeleteProfileInput>;

export const ProfilePayload = z
  .strictObject({ profile: Profile })
  .meta({ id: 'ProfilePayload', description: 'The updated profile' });
export type ProfilePayload = z.infer<typeof ProfilePayload>;
