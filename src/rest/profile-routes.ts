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
    summary: 'The profiles that the key reaches',
    input: ListProfilesInput,
    output: ListProfilesResult,
    run: listProfiles,
  }),
  route({
    name: 'createProfile',
    method: 'POST',
    path: '/v1/profiles',
    summary: 'Make a profile',
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
    summary: 'One profile',
    input: GetProfileInput,
    output: ProfileResult,
    errors: ['profile_not_found'],
    run: findProfile,
  }),
  route({
    name: 'updateProfile',
    method: 'PUT',
    path: '/v1/profiles/{profileId}',
    summary: 'Change the given fields of a profile',
    input: UpdateProfileInput,
    output: ProfileResult,
    errors: ['profile_not_found', 'profile_name_conflict'],
    run: updateProfile,
  }),
  route({
    name: 'deleteProfile',
    method: 'DELETE',
    path: '/v1/profiles/{profileId}',
    summary: 'Delete an empty profile',
    input: DeleteProfileInput,
    output: Success,
    errors: ['profile_not_found', 'profile_not_empty'],
    run: deleteProfile,
  }),
];
