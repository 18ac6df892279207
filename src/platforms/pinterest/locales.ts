import type { CreateAdInput } from '../../contract/ad-input.ts';
import { variantsOf } from '../languages.ts';
import type { Access } from '../platform.ts';
import type { Client } from './client.ts';
import { TargetingOptions } from './wire.ts';

/** The platform's keys of the requested languages. */
export async function localesOf(
  client: Client,
  access: Access,
  { languages }: Pick<CreateAdInput, 'languages'>,
): Promise<string[] | undefined> {
  if (!languages) return undefined;
  const options = await client.read(access, 'resources/targeting/LOCALE', { schema: TargetingOptions });
  return variantsOf(
    'C',
    languages,
    options.map(({ id }) => ({ code: id, key: id })),
  );
}
