import type { ConversionEvent, CountedMetric } from '../../contract/reporting/metrics.ts';
import type { Figures } from '../../platforms/platform.ts';
import { Amounts } from './amounts.ts';
import { ByteReader, type ByteWriter } from './bytes.ts';

type Stored = CountedMetric | 'reach' | 'frequency';

/** The codes of figures in storage. A code is never given another meaning. */
export const metricCodes = {
  spend: 1,
  impressions: 2,
  clicks: 3,
  linkClicks: 4,
  purchases: 5,
  purchaseValue: 6,
  leads: 7,
  engagement: 8,
  videoViews: 9,
  videoPlays: 10,
  videoP25: 11,
  videoP50: 12,
  videoP75: 13,
  videoP100: 14,
  reach: 15,
  frequency: 16,
} as const satisfies Record<Stored, number>;
export const optimisedForCode = 20;
/** Conversions are reported, and there are none. */
export const noEventsCode = 21;
export const eventCodes: Record<ConversionEvent, number> = {
  purchase: 32,
  lead: 33,
  complete_registration: 34,
  add_to_cart: 35,
  initiate_checkout: 36,
  view_content: 37,
  add_payment_info: 38,
  search: 39,
  contact: 40,
  schedule: 41,
  subscribe: 42,
  start_trial: 43,
  app_install: 44,
  all: 45,
};
/** Added to the code of an event: its value. */
export const valueOffset = 32;
/** Added to a code: the platform withholds the figure. */
const withheld = 128;

/** Writes the figures of one object and day: a byte that names each figure, then the figure as an integer of any length. */
export function writeFigures(writer: ByteWriter, { events, optimisedFor, ...figures }: Figures): void {
  for (const [name, code] of Object.entries(metricCodes)) writeFigure(writer, code, figures[name as Stored]);
  if (optimisedFor !== undefined) writeFigure(writer, optimisedForCode, BigInt(eventCodes[optimisedFor]));
  const counted = Object.entries(events ?? {});
  if (events && counted.length === 0) writeFigure(writer, noEventsCode, 0n);
  for (const [event, { count, value }] of counted) {
    const code = eventCodes[event as ConversionEvent];
    writeFigure(writer, code, count);
    writeFigure(writer, code + valueOffset, value);
  }
}

function writeFigure(writer: ByteWriter, code: number, figure: bigint | null | undefined): void {
  if (figure === undefined) return;
  writer.byte(figure === null ? code + withheld : code);
  if (figure !== null) writer.integer(figure);
}

const highestCode = Math.max(...Object.values(eventCodes)) + valueOffset;
export const noAmounts = (): Amounts => new Amounts(highestCode + 1);

/** Figures as they are stored; decoding all rows of a report would take longer than reading them. */
export interface EncodedFigures {
  bytes: Uint8Array;
  start: number;
  end: number;
}
export type RowFigures = EncodedFigures | Amounts;

/** The figures of a row, decoded into `target`. A sum is returned as it is. */
export function amountsOf(figures: RowFigures, target: Amounts): Amounts {
  return figures instanceof Amounts ? figures : decodeFigures(figures.bytes, figures.start, figures.end, target);
}

export function decodeFigures(bytes: Uint8Array, start: number, end: number, target: Amounts): Amounts {
  target.clear();
  // Integers are decoded here, because a ByteReader takes twice as long, and a report decodes up to a million of them.
  for (let at = start; at < end;) {
    const tag = bytes[at++] ?? 0;
    if (tag >= withheld) {
      target.set(tag - withheld, null);
      continue;
    }
    const from = at;
    let byte = bytes[at++] ?? 0;
    let raw = byte & 127;
    // Up to 28 bits are faster as integers.
    let bits = 7;
    for (; byte >= 128 && bits < 28; bits += 7) {
      byte = bytes[at++] ?? 0;
      raw |= (byte & 127) << bits;
    }
    if (byte < 128) {
      target.setNumber(tag, (raw & 1) === 1 ? -((raw + 1) >> 1) : raw >> 1);
      continue;
    }
    let large = raw;
    for (let scale = 2 ** 28; byte >= 128; scale *= 128) {
      byte = bytes[at++] ?? 0;
      large += (byte & 127) * scale;
    }
    if (large > Number.MAX_SAFE_INTEGER) target.set(tag, new ByteReader(bytes, from).integer());
    else target.setNumber(tag, (raw & 1) === 1 ? -(large + 1) / 2 : large / 2);
  }
  return target;
}

/** The figures by name. */
export function namedFigures(amounts: Amounts): Figures {
  const figures: Figures = {};
  for (const [name, code] of Object.entries(metricCodes)) {
    const amount = amounts.get(code);
    if (amount !== undefined) figures[name as Stored] = amount === null ? null : BigInt(amount);
  }
  if (amounts.has(noEventsCode)) figures.events = {};
  for (const [name, code] of Object.entries(eventCodes)) {
    const [count, value] = [amounts.get(code), amounts.get(code + valueOffset)];
    if (amounts.get(optimisedForCode) === code) figures.optimisedFor = name as ConversionEvent;
    if (count === undefined) continue;
    (figures.events ??= {})[name as ConversionEvent] = {
      count: BigInt(count ?? 0),
      ...(value !== undefined && { value: value === null ? null : BigInt(value) }),
    };
  }
  return figures;
}
