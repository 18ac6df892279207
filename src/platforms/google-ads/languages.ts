import type { CreateAdInput } from '../../contract/ad-input.ts';
import { variantsOf } from '../languages.ts';
import type { Access } from '../platform.ts';
import type { Client } from './client.ts';
import { LanguageRow, type Customer } from './wire.ts';

const text =
  'SELECT language_constant.id, language_constant.code FROM language_constant WHERE language_constant.targetable = TRUE';

/** The platform's ids of the requested languages. */
export async function languageIdsOf(
  client: Client,
  access: Access,
  { customer, languages }: Pick<CreateAdInput, 'languages'> & { customer: Customer },
): Promise<string[]> {
  if (!languages) return [];
  const rows = await client.rows(access, customer, { schema: LanguageRow, text });
  const known = rows.map(({ languageConstant: { id, code = '' } }) => ({ code, key: id }));
  return variantsOf('B', languages, known);
}
