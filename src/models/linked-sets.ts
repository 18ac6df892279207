import type mongoose from 'mongoose';
import { LinkedSet } from '../lib/linked-set.ts';

interface DriverClient {
  s?: Record<string, unknown>;
}

/**
 * Keeps the running sessions and cursors of the driver (7.8) in linked sets. In a Set they would keep the sessions, responses and documents
 * of earlier commands alive until the next full garbage collection: most of what a request leaves in the old generation.
 */
export function linkRunning(connection: mongoose.Connection): void {
  const { s: members = {} } = connection.getClient() as unknown as DriverClient;
  for (const name of ['activeSessions', 'activeCursors']) {
    const running = members[name];
    if (running instanceof Set && running.size === 0) members[name] = new LinkedSet();
  }
}
