import { open } from 'node:fs/promises';
import { z } from 'zod';
import { AppError } from '../contract/error.ts';
import { parseInput } from '../contract/parse.ts';
import { eraseUser } from '../services/users/erase-user.ts';
import { exportUser } from '../services/users/export-user.ts';
import type { Command } from './command.ts';
import { forOwner } from './owner.ts';

const Export = z.strictObject({ output: z.string().min(1) });
const Erasure = z.strictObject({ confirm: z.email('must be the e-mail address of the user') });

/** What a person may ask an operator for about their own data. */
export const userDataCommands: Record<string, Command> = {
  'users export': {
    usage: '--user ID --output FILE',
    about: 'writes all stored data of a user to a new file, one JSON document a line, without secrets',
    takes: ['userId', 'output'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      const { userId } = ctx.caller;
      const { output } = parseInput(Export, input);
      const file = await open(output, 'wx', 0o600);
      try {
        const documents = await exportUser(services, userId, async (collection, document) => {
          await file.write(`${JSON.stringify({ collection, document })}\n`);
        });
        return { id: userId, output, documents };
      } finally {
        await file.close();
      }
    },
  },
  'users erase': {
    usage: '--user ID --confirm EMAIL',
    about: 'erases all stored data of a user; ads at the platforms stay as they are, so pause or remove them before',
    takes: ['userId', 'confirm'],
    run: async (services, flags) => {
      const { ctx, input } = await forOwner(services, flags);
      const { userId, email } = ctx.caller;
      const { confirm } = parseInput(Erasure, input);
      if (email !== confirm.toLowerCase())
        throw new AppError('invalid_field_value', `The e-mail address of user ${userId} is another one`, {
          param: 'confirm',
        });
      return { id: userId, erased: await eraseUser(services, userId) };
    },
  },
};
