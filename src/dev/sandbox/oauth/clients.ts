/** OAuth apps known to the simulators, by client id. */
const clients = new Map([
  ['sandbox-app', { name: 'Your social publishing service', secret: 'sandbox-app-secret' }],
  ['sandbox-consumer-key', { name: 'Your social publishing service', secret: 'sandbox-consumer-secret' }],
]);

export const clientName = (id: string): string | undefined => clients.get(id)?.name;

export const secretOf = (id: string): string | undefined => clients.get(id)?.secret;

export const isClient = (id: string, secret: string): boolean => clients.get(id)?.secret === secret;
