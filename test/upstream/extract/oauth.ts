import type { Operation, Schema, Source } from '../facts.ts';
import { objectOf } from './facts.ts';

export const oauthSource: Source = {
  name: 'IETF RFC 6749 (sections 2.3.1, 4.1.3, 6), RFC 7636 (section 4.5)',
  version: 'RFC 6749',
  date: '2012-10-01',
  proves: 'parameters of the token requests',
};

const text: Schema = { type: 'string', minLength: 1 };

/** A request for a token; clients identify themselves in the body unless they do so in a header. */
export function tokenOperation(client: 'body' | 'header'): Operation {
  const named: Record<string, Schema> = client === 'body' ? { client_id: text, client_secret: text } : {};
  const by = (grant: string, fields: Record<string, Schema>, optional: Record<string, Schema> = {}): Schema =>
    objectOf({ grant_type: { const: grant }, ...fields, ...optional, ...named }, [
      'grant_type',
      ...Object.keys(fields),
      ...Object.keys(named),
    ]);
  return {
    type: 'application/x-www-form-urlencoded',
    body: {
      anyOf: [
        by('authorization_code', { code: text, redirect_uri: text }, { code_verifier: text }),
        by('refresh_token', { refresh_token: text }, { scope: text }),
      ],
    },
  };
}
