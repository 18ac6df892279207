import { formerNameFault, givenKeys, givenRetention } from '../config/config.ts';
import { localServices, type LocalServices, type OpenOptions } from './services.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the database and the encryption keys that an environment names. */
export function openServices(environment: Environment, options: OpenOptions): Promise<LocalServices> {
  const mongoUri = environment['MONGODB_URI'];
  if (!mongoUri) throw new Error('MONGODB_URI is not set: set it to the address of the database of the service.');
  const fault = formerNameFault(environment);
  if (fault) throw new Error(fault);
  const keys = givenKeys(environment);
  if (!keys) throw new Error('ENCRYPTION_KEYS is not set: set it to the keys of the service.');
  return localServices(mongoUri, keys, { ...options, retention: givenRetention(environment) });
}
