import { Success } from '../contract/common.ts';
import {
  CreateProfileInput,
  DeleteProfileInput,
  GetProfileInput,
  ListProfilesInput,
  ListProfilesResult,
  ProfileResult,
  UpdateProfileInput,
} from '../contract/profile.ts';
import { createProfile } from '../services/profiles/create-profile.ts';
import { deleteProfile } from '../services/profiles/delete-profile.ts';
import { findProfile } from '../services/profiles/find-profile.ts';
import { listProfiles } from '../services/profiles/list-profiles.ts';
import { updateProfile } from '../services/profiles/update-profile.ts';
import { route } from './route.ts';

export const profileRoutes = [
  route({
    name: 'profiles',
    method: 'GET',
    path: '/v1/profiles',
    summary: 'List profiles',
    description: 'Returns the profiles that the key can access.',
    input: ListProfilesInput,
    output: ListProfilesResult,
    run: listProfiles,
  }),
  route({
    name: 'createProfile',
    method: 'POST',
    path: '/v1/profiles',
    summary: 'Create a profile',
    description: 'Creates a profile, a group of connected accounts.',
    input: CreateProfileInput,
    output: ProfileResult,
    status: 201,
    errors: ['profile_limit_exceeded', 'profile_name_conflict'],
    run: createProfile,
  }),
  route({
    name: 'profile',
    method: 'GET',
    path: '/v1/profiles/{profileId}',
    summary: 'Retrieve a profile',
    description: 'Returns one profile.',
    input: GetProfileInput,
    output: ProfileResult,
    errors: ['profile_not_found'],
    run: findProfile,
  }),
  route({
    name: 'updateProfile',
    method: 'PUT',
    path: '/v1/profiles/{profileId}',
    summary: 'Update a profile',
    description: 'Changes the given fields of a profile; null clears a description or a colour.',
    input: UpdateProfileInput,
    output: ProfileResult,
    errors: ['profile_not_found', 'profile_name_conflict'],
    run: updateProfile,
  }),
  route({
    name: 'deleteProfile',
    method: 'DELETE',
    path: '/v1/profiles/{profileId}',
    summary: 'Delete a profile',
    description: 'Deletes a profile without connected accounts.',
    input: DeleteProfileInput,
    output: Success,
    errors: ['profile_not_found', 'profile_not_empty'],
    run: deleteProfile,
  }),
];
