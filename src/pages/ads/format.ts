import { toAccountTime } from '../../lib/account-time.ts';

const language = 'en';
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `2026-10-02` as `2 October 2026`. */
export const dayText = (day: string): string => dayFormat.format(new Date(day));

export const rangeText = (fromDate: string, toDate: string): string =>
  fromDate === toDate ? dayText(fromDate) : `${dayText(fromDate)} to ${dayText(toDate)}`;

/** An instant in the time zone of the report, to the minute. */
export function momentText(instant: string, timeZone: string): string {
  const [day = '', time = ''] = toAccountTime(new Date(instant), timeZone).split(' ');
  return `${dayText(day)}, ${time.slice(0, 5)}`;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Formats take long to create. */
function formatOf(name: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const format = formats.get(name) ?? new Intl.NumberFormat(language, options);
  formats.set(name, format);
  return format;
}

/** A currency that Intl does not accept, such as an empty one, has two digits. */
const moneyFormat = (currency: string): Intl.NumberFormat =>
  /^[A-Z]{3}$/.test(currency)
    ? formatOf(currency, { style: 'currency', currency })
    : formatOf('', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** An amount with the digits and the sign of its currency. */
export const money = (amount: number, currency: string): string => moneyFormat(currency).format(amount);

/** The same without the sign, below a heading that names the currency. */
export function amount(value: number, currency: string): string {
  const { maximumFractionDigits: digits = 2 } = moneyFormat(currency).resolvedOptions();
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return formatOf(`digits ${digits}`, options).format(value);
}

export const count = (value: number): string => formatOf('count', { maximumFractionDigits: 2 }).format(value);

export const percent = (fraction: number): string =>
  formatOf('percent', { style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(fraction);

export const ratio = (value: number): string =>
  formatOf('ratio', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);

export const change = (fraction: number): string =>
  formatOf('change', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' }).format(fraction);
