import type { ServerResponse } from 'node:http';

/** What the log line of a request says about it beyond the request itself. */
export interface RequestFields {
  userId?: string;
  keyId?: string;
  errorCode?: string;
}

const fieldsOf = new WeakMap<ServerResponse, RequestFields>();

export const requestFields = (response: ServerResponse): RequestFields => fieldsOf.get(response) ?? {};

export const addRequestFields = (response: ServerResponse, fields: RequestFields): void =>
  void fieldsOf.set(response, { ...fieldsOf.get(response), ...fields });
