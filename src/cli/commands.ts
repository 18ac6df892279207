import { z } from 'zod';
import { CreateApiKeyInput } from '../contract/api-key.ts';
import { parseInput } from '../contract/parse.ts';
import { CreateProfileInput } from '../contract/profile.ts';
import { Plan } from '../contract/viewer.ts';
import { newId } from '../lib/id.ts';
import { closeRestored } from '../services/backup/close-restored.ts';
import { createApiKey } from '../services/api-keys/create-api-key.ts';
import { forgetKey } from '../services/encryption/key-registry.ts';
import { reencryptAll } from '../services/encryption/re-encrypt-all.ts';
import { createProfile } from '../services/profiles/create-profile.ts';
import { createUser } from '../services/users/create-user.ts';
import type { Command } from './command.ts';
import { budgetLimitCommands } from './budget-limit-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { forOwner } from './owner.ts';
import { stopCommands } from './stop-commands.ts';
import { userDataCommands } from './user-commands.ts';

const NewUser = z.strictObject({
  email: z.email('must be an e-mail address'),
  name: z.string().trim().min(1).max(100).optional(),
  plan: Plan,
  addons: z.array(z.enum(['ads'])).optional(),
});

export const commands: Record<string, Command> = {
  'users create': {
    usage: '--email EMAIL --plan free|build|accelerate|unlimited|usage-based [--name NAME] [--addon ads]',
    about: 'a user with a default profile',
    takes: ['email', 'plan', 'name', 'addons'],
    run: async (services, flags) => {
      const { _id, email, name, plan, addons } = await createUser(services, parseInput(NewUser, flags));
      return { id: _id, email, name, plan, addons };
    },
  },
  ...userDataCommands,
  'profiles create': {
    usage: '--user ID --name NAME [--description TEXT] [--color #rrggbb]',
    about: 'a profile: a client, a brand, a shop',
    takes: ['userId', 'name', 'description', 'color'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      const { profile } = await createProfile(ctx, parseInput(CreateProfileInput, input), newId());
      return { id: profile._id, userId: ctx.caller.userId, name: profile.name };
    },
  },
  'keys create': {
    usage: '--user ID --name NAME [--scope profiles --profile ID ...] [--permission read] [--expires-in-days N]',
    about: 'an API key, shown only once',
    takes: ['userId', 'name', 'scope', 'profileIds', 'permission', 'expiresIn'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      const { userId } = ctx.caller;
      const { apiKey } = await createApiKey(ctx, parseInput(CreateApiKeyInput, input), newId());
      const { id, key, name, scope, profileIds, permission, expiresAt } = apiKey;
      return { id, key, userId, name, scope, profileIds, permission, expiresAt };
    },
  },
  ...operatorCommands,
  ...stopCommands,
  ...budgetLimitCommands,
  migrate: {
    usage: '',
    about: 'migrates the database and its indexes to this release; stop all other processes and make a backup first',
    takes: [],
    allowsMissingKeys: true,
    migrates: true,
    run: ({ migration }) => Promise.resolve({ id: 'database', ...migration }),
  },
  'orders close-restored': {
    usage: '',
    about:
      'closes what a restored backup contains as unfinished, so that nothing is created twice; run it before any process starts',
    takes: [],
    run: async (services) => ({ id: 'orders', ...(await closeRestored(services)) }),
  },
  'secrets re-encrypt': {
    usage: '[--forget KEY_ID]',
    about:
      're-encrypts stored secrets with the first of ENCRYPTION_KEYS and lists the keys still needed; --forget abandons a lost key',
    takes: ['forget'],
    allowsMissingKeys: true,
    run: async (services, { forget }) => {
      if (forget) await forgetKey(services.db, String(forget));
      return { id: 'secrets', ...(await reencryptAll(services)) };
    },
  },
};
