import type { ServerResponse } from 'node:http';

/** What the log line of a request says about it beyond the request itself. */
export interface RequestFields {
  userId?: string;
  keyId?: string;
  errorCode?: string;
}

const fieldsOf = new WeakMap<ServerResponse, RequestFields>();

export const requestFields = (response: ServerResponse): RequestFields => fieldsOf.get(response) ?? {};

export function addRequestFields(response: ServerResponse, fields: RequestFields): void {
  const known = fieldsOf.get(response);
  if (known) Object.assign(known, fields);
  else fieldsOf.set(response, fields);
}
