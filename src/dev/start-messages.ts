/** Sent to the process of the service, once what it needs is running. */
export interface Place {
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

/** An address at which this machine reaches a service that listens on a host. */
export const nearOf = (host: string): string => (host === '0.0.0.0' || host === '::' ? 'localhost' : host);
