/** The exact decimal text of an integer with a number of decimals. */
export function decimalText(amount: bigint, decimals: number): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`;
}
