const millionths = 1_000_000;

/** An amount as an integer of a millionth of its currency, so that sums are exact. */
export function toMillionths(amount: number): bigint {
  const whole = Math.trunc(amount);
  return BigInt(whole) * BigInt(millionths) + BigInt(Math.round((amount - whole) * millionths));
}

export const fromMillionths = (amount: bigint): number => Number(amount) / millionths;
