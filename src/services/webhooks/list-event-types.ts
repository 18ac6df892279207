import { eventTypes } from '../../contract/event-types.ts';
import type { ListEventTypesResult } from '../../contract/event.ts';

/** The catalogue of event types, each with its schema and an example. */
export const listEventTypes = async (): Promise<ListEventTypesResult> => ({ eventTypes: eventTypes() });
