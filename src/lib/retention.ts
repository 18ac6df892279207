/** How long records are kept; the other expiry times are fixed. */
export interface Retention {
  /** Deliveries after they ended, and recoveries. */
  deliveryDays: number;
}

export const defaultRetention: Retention = { deliveryDays: 30 };
