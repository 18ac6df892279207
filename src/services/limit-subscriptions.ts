import { AppError } from '../contract/error.ts';
import type { Ctx } from './context.ts';

/**
 * Opens a stream if the key is below its subscription limit; releases the slot when the stream ends. Not a generator,
 * because a generator cannot be ended while it waits.
 */
export async function withSubscriptionLimit<T>(
  { subscriptionLimiter, caller, onGone }: Pick<Ctx, 'subscriptionLimiter' | 'caller' | 'onGone'>,
  open: () => Promise<AsyncIterator<T>>,
): Promise<AsyncIterableIterator<T>> {
  const leave = await subscriptionLimiter.take(caller.keyId);
  if (!leave) {
    const message = `Subscription limit reached (${subscriptionLimiter.limit} per API key); close one first`;
    throw new AppError('too_many_subscriptions', message, { details: { limit: subscriptionLimiter.limit } });
  }
  let stream: AsyncIterator<T>;
  try {
    stream = await open();
  } catch (error) {
    leave();
    throw error;
  }
  const end = async (): Promise<void> => {
    leave();
    await stream.return?.();
  };
  // No one is left to receive an error.
  onGone?.(() => void end().catch(() => undefined));
  const limited: AsyncIterableIterator<T> = {
    async next() {
      try {
        const result = await stream.next();
        if (result.done) leave();
        return result;
      } catch (error) {
        leave();
        throw error;
      }
    },
    async return() {
      await end();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return limited;
    },
  };
  return limited;
}
