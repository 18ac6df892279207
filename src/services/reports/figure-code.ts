import type { ConversionEvent, CountedMetric } from '../../contract/reporting/metrics.ts';
import type { Figures } from '../../platforms/platform.ts';
import { ByteReader, type ByteWriter } from './bytes.ts';

type Stored = CountedMetric | 'reach' | 'frequency';

/** What stored figures are called. A number that was used once never means anything else. */
const metricCodes: Record<Stored, number> = {
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
};
const optimisedForCode = 20;
/** Conversions are reported, and there are none. */
const noEventsCode = 21;
const eventCodes: Record<ConversionEvent, number> = {
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
const valueOffset = 32;
/** Added to a code: the platform withholds the figure. */
const withheld = 128;

const inverted = <K extends string>(codes: Record<K, number>): Map<number, K> =>
  new Map(Object.entries(codes).map(([name, code]) => [code as number, name as K]));
const metricOf = inverted(metricCodes);
const eventOf = inverted(eventCodes);

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

/** Reads figures up to the end of the entry. */
export function readFiguresAt(reader: ByteReader, end: number): Figures {
  const figures: Figures = {};
  while (reader.at < end) {
    const tag = reader.byte();
    const code = tag % withheld;
    const figure = tag < withheld ? reader.integer() : null;
    const metric = metricOf.get(code);
    if (metric !== undefined) figures[metric] = figure;
    else if (code === optimisedForCode) figures.optimisedFor = eventOf.get(Number(figure));
    else if (code === noEventsCode) figures.events = {};
    else addEvent(figures, code, figure);
  }
  return figures;
}

function addEvent(figures: Figures, code: number, figure: bigint | null): void {
  const event = eventOf.get(code);
  if (event !== undefined) {
    (figures.events ??= {})[event] = { count: figure ?? 0n };
    return;
  }
  const valued = eventOf.get(code - valueOffset);
  const counted = valued && figures.events?.[valued];
  if (counted) counted.value = figure;
}
