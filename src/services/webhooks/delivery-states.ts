import type { DeliveryState } from '../../contract/delivery.ts';

/** To be sent when its time comes. */
export const dueStates: DeliveryState[] = ['pending', 'retrying'];
/** With a job in the queue. */
export const queuedStates: DeliveryState[] = [...dueStates, 'sending'];
/** Kept without a job, until the endpoint may be asked again. */
export const parkedStates: DeliveryState[] = ['waiting', 'held'];
/** Not over yet, whoever holds it. */
export const openStates: DeliveryState[] = [...queuedStates, ...parkedStates];
