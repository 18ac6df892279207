import type { Figures, ReportRow } from '../../../src/platforms/platform.ts';
import type { Ctx } from '../../../src/services/context.ts';
import type { Amounts } from '../../../src/services/reports/amounts.ts';
import { ByteWriter } from '../../../src/services/reports/bytes.ts';
import {
  amountsOf,
  namedFigures,
  noAmounts,
  writeFigures,
  type RowFigures,
} from '../../../src/services/reports/figure-code.ts';
import { readFigures, type FigureRequest, type FigureResult } from '../../../src/services/reports/read-figures.ts';
import { createHold } from '../../../src/services/reports/report-memory.ts';
import type { Row, RowTable } from '../../../src/services/reports/row-table.ts';

/** Figures as a report has them in memory after it has read them. */
export function amountsFrom(figures: Figures): Amounts {
  const writer = new ByteWriter();
  writeFigures(writer, figures);
  const bytes = writer.take();
  return amountsOf({ bytes, start: 0, end: bytes.length }, noAmounts());
}

export const figuresIn = (figures: RowFigures): Figures => namedFigures(amountsOf(figures, noAmounts()));

const namedRow = ({ platformId, campaignId, adSetId, date, breakdown, figures }: Row): ReportRow => ({
  platformId,
  ...(campaignId !== undefined && { campaignId }),
  ...(adSetId !== undefined && { adSetId }),
  ...(date !== null && { date }),
  ...(breakdown.length > 0 && { breakdown }),
  figures: figuresIn(figures),
});

export const namedRows = (rows: RowTable): ReportRow[] =>
  Array.from({ length: rows.length }, (_, row) => namedRow(rows.rowAt(row)));

/** A result whose rows have their figures by name. */
export type NamedResult = Omit<FigureResult, 'rows'> & { rows: ReportRow[] };

export async function readNamed(ctx: Ctx, request: FigureRequest): Promise<NamedResult> {
  const { rows, ...result } = await readFigures(ctx, request, createHold(undefined, 'reads'));
  return { ...result, rows: namedRows(rows) };
}
