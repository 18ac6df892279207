import { AppError, invalidInput } from '../../contract/error.ts';
import { newId } from '../../lib/id.ts';
import { isDuplicate } from '../../models/db.ts';
import type { UserDoc } from '../../models/user.ts';
import type { Plan, Services } from '../context.ts';

export interface NewUser {
  email: string;
  name?: string;
  plan: Plan;
  addons?: string[];
}

/** Creates a user with a default profile; only operators do this, on the command line. */
export async function createUser(
  { db }: Pick<Services, 'db'>,
  { email, name, plan, addons }: NewUser,
): Promise<UserDoc> {
  const user = { _id: newId(), email: email.trim().toLowerCase(), name: name ?? email, plan, addons: addons ?? [] };
  // The profile first: a crash in between leaves an orphaned profile instead of a user without one.
  await db.profiles.create({ userId: user._id, name: 'Default', isDefault: true, slot: 1 });
  const created = await db.users.create(user).catch(async (error: unknown) => {
    await db.profiles.deleteOne({ userId: user._id });
    throw isDuplicate(error) ? emailTaken(user.email) : error;
  });
  return created.toObject();
}

const emailTaken = (email: string): AppError =>
  invalidInput([
    { code: 'invalid_field_value', path: 'email', message: `a user with the email ${email} already exists` },
  ]);
