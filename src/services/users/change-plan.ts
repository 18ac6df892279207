import { AppError } from '../../contract/error.ts';
import type { UserDoc } from '../../models/user.ts';
import type { Services } from '../context.ts';

/** Changes the plan of a user; processes apply it within the few seconds that they cache callers. */
export async function changePlan(
  { db }: Pick<Services, 'db'>,
  { userId, plan, addons }: { userId: string; plan: UserDoc['plan']; addons?: string[] },
): Promise<UserDoc> {
  const change = { plan, ...(addons && { addons }) };
  const user = await db.users.findOneAndUpdate({ _id: userId }, { $set: change }, { returnDocument: 'after' }).lean();
  if (!user) throw new AppError('invalid_field_value', `There is no user ${userId}`, { param: 'userId' });
  return user;
}
