import type { DeliveryState } from '../../contract/delivery.ts';

/** Sent when due. */
export const dueStates: DeliveryState[] = ['pending', 'retrying'];
/** With a job in the queue. */
export const queuedStates: DeliveryState[] = [...dueStates, 'sending'];
/** Without a job, until the endpoint may be called again. */
export const parkedStates: DeliveryState[] = ['waiting', 'held'];
/** Not finished. */
export const openStates: DeliveryState[] = [...queuedStates, ...parkedStates];
