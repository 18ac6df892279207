import type { CreateAdInput } from '../../contract/ad-input.ts';
import { variantsOf } from '../languages.ts';
import type { Access } from '../platform.ts';
import type { Client } from './client.ts';
import { LanguageRow, type Reach } from './wire.ts';

const text =
  'SELECT language_constant.id, language_constant.code FROM language_constant WHERE language_constant.targetable = TRUE';

/** The platform's ids of the requested languages. */
export async function languageIdsOf(
  client: Client,
  access: Access,
  { reach, languages }: Pick<CreateAdInput, 'languages'> & { reach: Reach },
): Promise<string[]> {
  if (!languages) return [];
  const rows = await client.rows(access, reach, { schema: LanguageRow, text });
  const known = rows.map(({ languageConstant: { id, code = '' } }) => ({ code, key: id }));
  return variantsOf('B', languages, known);
}
