import { EgressError, type Egress } from './egress.ts';
import { secondsSince, statusClass, webhookSent } from '../telemetry/events.ts';

/** Wraps an egress client so that it emits an event for each request to a receiver. */
export const watchEgress = (egress: Egress): Egress => ({
  ...egress,
  async send(request) {
    const started = performance.now();
    const say = (outcome: string): void =>
      webhookSent.emit({ eventId: request.headers['webhook-id'] ?? '', outcome, seconds: secondsSince(started) });
    try {
      const answer = await egress.send(request);
      say(statusClass(answer.status));
      return answer;
    } catch (error) {
      say(request.signal?.aborted ? 'shutdown' : error instanceof EgressError ? error.errorClass : 'invalid_request');
      throw error;
    }
  },
});
