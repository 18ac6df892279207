import { z } from 'zod';
import { ApiKey } from './api-key.ts';
import { ObjectId } from './common.ts';

export const Plan = z
  .enum(['free', 'build', 'accelerate', 'unlimited', 'usage-based'])
  .meta({ id: 'Plan', description: 'Ads are included in usage-based; the others need the add-on `ads`' });

export const User = z
  .strictObject({
    id: ObjectId,
    email: z.string().describe('Unique among users'),
    name: z.string().describe('Display name'),
    plan: Plan,
    addons: z.array(z.string()).describe('`ads` gives ads access on legacy plans'),
    hasAdsAccess: z.boolean().describe('Whether ads may be created'),
    profileLimit: z.int().nullable().describe('How many profiles the plan allows; null means unlimited'),
  })
  .meta({ id: 'User', description: 'The person or company behind a key' });

export const Viewer = z
  .strictObject({ user: User, key: ApiKey })
  .meta({ id: 'Viewer', description: 'The caller and the permissions of the key' });
export type Viewer = z.infer<typeof Viewer>;
