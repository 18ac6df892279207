import { AppError } from '../contract/error.ts';
import type { Ctx } from './context.ts';

/**
 * A stream for which a place is free among those of the key; it is free again as soon as the stream ends, whoever ends it.
 * By hand and not as a generator, which cannot be ended while it waits.
 */
export async function withinPlaces<T>(
  { streamPlaces, caller, onGone }: Pick<Ctx, 'streamPlaces' | 'caller' | 'onGone'>,
  open: () => Promise<AsyncIterator<T>>,
): Promise<AsyncIterableIterator<T>> {
  const leave = await streamPlaces.take(caller.keyId);
  if (!leave) {
    const message = `At most ${streamPlaces.limit} subscriptions may be open with one API key; end one first`;
    throw new AppError('too_many_subscriptions', message, { details: { limit: streamPlaces.limit } });
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
