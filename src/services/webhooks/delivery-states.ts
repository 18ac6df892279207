import type { DeliveryState } from '../../contract/delivery.ts';

/** Sent when due. */
export const dueStates: DeliveryState[] = ['pending', 'retrying'];
/** In the queue of their endpoint. */
export const queuedStates: DeliveryState[] = [...dueStates, 'sending'];
/** Not in the queue, until the endpoint can take them. */
export const parkedStates: DeliveryState[] = ['waiting', 'held'];
/** Not finished. */
export const openStates: DeliveryState[] = [...queuedStates, ...parkedStates];
