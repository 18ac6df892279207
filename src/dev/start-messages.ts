/** Sent to the process of the service, once its dependencies run. */
export interface ToService {
  dataDir: string;
  host: string;
  mongoUri: string;
  redisUrl: string;
  sandboxUrl?: string;
}

/** Sent by the process of the service. */
export type FromService =
  | { kind: 'valid'; port: number }
  /** With the text to print. */
  | { kind: 'ready'; text: string }
  | { kind: 'failed'; message: string };

/** The host under which this machine reaches a service that listens on `host`. */
export const reachableHost = (host: string): string => (host === '0.0.0.0' || host === '::' ? 'localhost' : host);
