import { Success } from '../contract/common.ts';
import {
  CreateProfileInput,
  DeleteProfileInput,
  GetProfileInput,
  ListProfilesInput,
  Profile,
  ProfileResult,
  UpdateProfileInput,
} from '../contract/profile.ts';
import { createProfile } from '../services/profiles/create-profile.ts';
import { deleteProfile } from '../services/profiles/delete-profile.ts';
import { findProfile } from '../services/profiles/find-profile.ts';
import { listProfiles } from '../services/profiles/list-profiles.ts';
import { updateProfile } from '../services/profiles/update-profile.ts';
import { builder } from './builder.ts';
import { connectionOf, listArgs, listCost, pagedList } from './connection.ts';
import { argsOf, fromArgs, inputArgs, objectType, parsed } from './from-contract.ts';
import { mutate } from './mutate.ts';

const ProfileConnection = connectionOf('Profile', objectType(Profile));

builder.queryField('profiles', (t) =>
  t.field({
    type: ProfileConnection,
    description: 'The profiles that the key reaches, oldest first.',
    args: listArgs(t, ListProfilesInput),
    complexity: listCost,
    resolve: (_root, args, ctx) =>
      pagedList(ListProfilesInput, args, async (input) => {
        const { profiles, pagination } = await listProfiles(ctx, input);
        return { nodes: profiles, total: pagination.total };
      }),
  }),
);

builder.queryField('profile', (t) =>
  t.field({
    type: objectType(Profile),
    description: 'One profile; 404 `profile_not_found` when the key does not reach it.',
    args: t.validate(argsOf(t, GetProfileInput), fromArgs(GetProfileInput)),
    resolve: async (_root, input, ctx) => (await findProfile(ctx, input)).profile,
  }),
);

builder.mutationField('createProfile', (t) =>
  t.field({
    type: objectType(ProfileResult),
    nullable: true,
    description: 'Makes a profile; 403 `profile_limit_exceeded` beyond what the plan holds.',
    args: t.validate(inputArgs(t, CreateProfileInput), fromArgs(CreateProfileInput, { dropNulls: true })),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, (id) => createProfile(ctx, parsed(CreateProfileInput, input), id)),
  }),
);

builder.mutationField('updateProfile', (t) =>
  t.field({
    type: objectType(ProfileResult),
    nullable: true,
    description: 'Changes the given fields of a profile; null clears.',
    args: t.validate(inputArgs(t, UpdateProfileInput, ['profileId']), fromArgs(UpdateProfileInput)),
    resolve: (_root, input, ctx, info) =>
      mutate(ctx, { info, input }, () => updateProfile(ctx, parsed(UpdateProfileInput, input))),
  }),
);

builder.mutationField('deleteProfile', (t) =>
  t.field({
    type: objectType(Success),
    nullable: true,
    description: 'Deletes an empty profile; 409 `profile_not_empty` while accounts hang on it.',
    args: t.validate(inputArgs(t, DeleteProfileInput, ['profileId']), fromArgs(DeleteProfileInput)),
    resolve: (_root, input, ctx, info) => mutate(ctx, { info, input }, () => deleteProfile(ctx, input)),
  }),
);
