import { Success } from '../contract/common.ts';
import {
  CreateProfileInput,
  DeleteProfileInput,
  GetProfileInput,
  ListProfilesInput,
  ListProfilesResult,
  ProfilePayload,
  UpdateProfileInput,
} from '../contract/profile.ts';
import { createProfile } from '../services/profiles/create-profile.ts';
import { deleteProfile } from '../services/profiles/delete-profile.ts';
import { findProfile } from '../services/profiles/find-profile.ts';
import { listProfiles, profilePage } from '../services/profiles/list-profiles.ts';
import { updateProfile } from '../services/profiles/update-profile.ts';
import { operation } from './operation.ts';

export const profileOperations = [
  operation({
    name: 'profiles',
    method: 'GET',
    path: '/v1/profiles',
    summary: 'List profiles',
    description: 'Returns the profiles visible to the API key, oldest first.',
    input: ListProfilesInput,
    output: ListProfilesResult,
    errors: ['mutually_exclusive_fields'],
    graphql: { list: profilePage },
    run: listProfiles,
  }),
  operation({
    name: 'createProfile',
    method: 'POST',
    path: '/v1/profiles',
    summary: 'Create a profile',
    description: 'Creates a profile, which groups connected accounts. The plan limits their number.',
    input: CreateProfileInput,
    output: ProfilePayload,
    status: 201,
    errors: ['profile_limit_exceeded', 'profile_name_conflict'],
    needsFullScope: true,
    run: createProfile,
  }),
  operation({
    name: 'profile',
    method: 'GET',
    path: '/v1/profiles/{profileId}',
    summary: 'Retrieve a profile',
    description: 'Returns one profile, or `profile_not_found`.',
    input: GetProfileInput,
    output: ProfilePayload,
    errors: ['profile_not_found'],
    graphql: { member: 'profile' },
    run: findProfile,
  }),
  operation({
    name: 'updateProfile',
    method: 'PUT',
    path: '/v1/profiles/{profileId}',
    summary: 'Update a profile',
    description: 'Updates the given fields of a profile; null clears a description or a colour.',
    input: UpdateProfileInput,
    output: ProfilePayload,
    errors: ['profile_not_found', 'profile_name_conflict'],
    run: updateProfile,
  }),
  operation({
    name: 'deleteProfile',
    method: 'DELETE',
    path: '/v1/profiles/{profileId}',
    summary: 'Delete a profile',
    description: 'Deletes a profile. Returns `profile_not_empty` if it has connected accounts.',
    input: DeleteProfileInput,
    output: Success,
    errors: ['profile_not_found', 'profile_not_empty'],
    run: deleteProfile,
  }),
];
