import { z } from 'zod';
import { InstantOut } from './common.ts';
import { complete } from './complete.ts';
import { eventBlocks } from './event-blocks.ts';
import { at, eventSamples, id } from './event-samples.ts';
import { eventKinds, testEvent, testKind, type EventName, type EventType } from './event.ts';
import { tidySchema } from './json-schema.ts';

let catalogue: EventType[] | undefined;

/** The catalogue as callers read it: the envelope is the same for all. */
export function eventTypes(): EventType[] {
  catalogue ??= Object.entries({ ...eventKinds, [testEvent]: testKind }).map(([name, { description, block }]) => {
    const body = eventBlocks[name as EventName];
    const envelope = { id: z.string(), event: z.literal(name), timestamp: InstantOut, [block]: body };
    return {
      name,
      description,
      sample: {
        id: `evt_${id('e1')}`,
        event: name,
        timestamp: at,
        [block]: complete(body, eventSamples[name as EventName]),
      },
      schema: z.toJSONSchema(z.strictObject(envelope), {
        io: 'output',
        override: ({ jsonSchema }) => tidySchema(jsonSchema, 'output'),
      }),
    };
  });
  return catalogue;
}
