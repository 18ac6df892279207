import { eventTypes, type ListEventTypesResult } from '../../contract/event.ts';

/** The catalogue of events, each with its schema and a sample. */
export const listEventTypes = async (): Promise<ListEventTypesResult> => ({ eventTypes });
