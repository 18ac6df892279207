import { eventBlocks } from '../../src/contract/event-blocks.ts';
import { eventKinds, testEvent, testKind, type EventName } from '../../src/contract/event.ts';

const kinds: Record<string, { block: string }> = { ...eventKinds, [testEvent]: testKind };

/** Throws if the block of an event is not what the catalogue of events says. */
export function requireDescribed(type: string, data: Record<string, unknown>): void {
  const result = eventBlocks[type as EventName].safeParse(data[kinds[type]?.block ?? '']);
  if (!result.success) throw new Error(`${type} is not as described in event-blocks.ts: ${result.error.message}`);
}

/** The same for relayed events. Bodies that a test made up have no block. */
export function requireDescribedBodies(events: { type: string; body: string }[]): void {
  for (const { type, body } of events) {
    const data = JSON.parse(body) as Record<string, unknown>;
    if (Object.hasOwn(data, kinds[type]?.block ?? '')) requireDescribed(type, data);
  }
}
