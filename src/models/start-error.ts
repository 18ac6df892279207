import mongoose from 'mongoose';

const codes = {
  credentials: new Set([18, 8000]),
  rights: new Set([13]),
  shutdown: new Set([91, 11_600]),
  readOnly: new Set([189, 10_058, 10_107, 13_435, 13_436]),
};

/** A restart of the database takes longer than the driver repeats what it could not send. */
const pauseMs = 500;

/**
 * The result of a step of the start. While the database restarts, the step is repeated, for as long as the driver waits for a
 * server.
 */
export const startStep = <T>(connection: mongoose.Connection, doing: string, work: () => Promise<T>): Promise<T> =>
  explained(doing, repeated(connection, work));

async function repeated<T>(connection: mongoose.Connection, work: () => Promise<T>): Promise<T> {
  let firstFailedAt: number | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isInterruption(error)) throw error;
      firstFailedAt ??= performance.now();
      const { serverSelectionTimeoutMS } = connection.getClient().options;
      if (performance.now() + pauseMs > firstFailedAt + serverSelectionTimeoutMS) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** The database closed or refused a connection. */
function isInterruption(error: unknown): boolean {
  const { MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } = mongoose.mongo;
  if (error instanceof MongoServerError) return codes.shutdown.has(Number(error.code));
  return error instanceof MongoNetworkError && !(error instanceof MongoNetworkTimeoutError);
}

/** The result. Errors of the driver name an address at best; these name the store, what was tried and a remedy. */
export async function explained<T>(doing: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isFromDriver(error) || isFromLookup(error) ? startError(doing, error) : error;
  }
}

/** Mongoose has its own class for a server that it cannot select. */
const isFromDriver = (error: unknown): error is Error =>
  error instanceof mongoose.mongo.MongoError || error instanceof mongoose.Error.MongooseServerSelectionError;

/** What reads the address, and DNS, have classes of their own. */
const isFromLookup = (error: unknown): error is Error =>
  error instanceof Error &&
  (isMalformed(error) || (error as NodeJS.ErrnoException).syscall?.startsWith('query') === true);

const isMalformed = ({ name }: Error): boolean => name === 'MongoParseError';

function startError(doing: string, error: Error): Error {
  const isUnreachable = error instanceof mongoose.Error.MongooseServerSelectionError;
  const what = isUnreachable ? 'is unreachable' : `failed while ${doing}`;
  const message = error.message.replace(/[.\s]+$/, '');
  return new Error(`MongoDB (MONGODB_URI) ${what}: ${message}. ${remedyFor(error)}`, { cause: error });
}

function remedyFor(error: Error): string {
  const { code } = error as { code?: unknown };
  const is = (set: Set<number>): boolean => set.has(Number(code));
  if (is(codes.credentials)) return 'Check the user, the password and authSource.';
  if (is(codes.rights)) return 'Give its user the role readWrite on the database of the service.';
  if (is(codes.readOnly)) return 'It accepts no writes: name the primary, or all members with replicaSet.';
  if (isMalformed(error))
    return 'It must look like mongodb://user:password@host:27017/social, with reserved characters of the password percent-encoded.';
  if (/wire version/.test(error.message)) return 'Use MongoDB 6 or later.';
  if (error instanceof mongoose.mongo.MongoServerError) return 'The log of MongoDB has the details.';
  return (
    'Check that MongoDB runs at this address, that tls is set as it expects, and that no firewall or proxy closes the ' +
    'connection.'
  );
}
