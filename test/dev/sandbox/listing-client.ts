import { expect } from 'vitest';

/** Calls of the business listing as one person makes them. */
export interface ListingAnswer {
  status: number;
  body: any; // eslint-disable-line typescript/no-explicit-any -- answers are read freely
}
export interface Client {
  accessToken: string;
  refreshToken: string;
  accounts: { name: string }[];
  locations: { name: string; title: string }[];
  call: (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<ListingAnswer>;
  control: (path: string, body: unknown) => Promise<ListingAnswer>;
}
interface CallOptions {
  token?: string | null;
  headers?: Record<string, string>;
}

export async function client(url: string): Promise<Client> {
  const control: Client['control'] = async (path, body) => {
    const response = await fetch(`${url}/control/listing/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const { body: connection } = await control('connections', { name: 'Shop' });
  const call: Client['call'] = async (method, path, body, { token = connection.accessToken, headers } = {}) => {
    const response = await fetch(`${url}/listing/${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  return { ...connection, call, control };
}

/** The answer to a request that is wrong at this field. */
export const violates = (field: string): object => ({
  status: 400,
  body: {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field, description: expect.any(String) }],
        },
      ],
    },
  },
});

/** The answer to a request that breaks a rule with an error code of its own. */
export const refusedAs = (reason: string, field_mask: string): object => ({
  status: 400,
  body: { error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason, metadata: { field_mask } }] } },
});
