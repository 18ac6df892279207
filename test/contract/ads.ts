import { CreateAdInput } from '../../src/contract/ad-input.ts';
import { AppError, type ErrorCode } from '../../src/contract/error.ts';
import { parseInput } from '../../src/contract/parse.ts';

export type Loose = Record<string, unknown>;

/** What every shape needs. */
export const bare: Loose = { accountId: '0123456789abcdef01234567', adAccountId: 'act_1', name: 'Winter' };

export const legacy: Loose = {
  ...bare,
  goal: 'traffic',
  budgetAmount: 50,
  budgetType: 'daily',
  body: 'Warm coats',
};

export const creative: Loose = {
  headline: 'Coats',
  body: 'Warm coats',
  linkUrl: 'https://shop.example/coats',
  callToAction: 'SHOP_NOW',
  imageUrl: 'https://shop.example/coat.png',
};

const { body: _body, ...campaign } = legacy;
export const multiCreative: Loose = { ...campaign, creatives: [creative] };
export const attach: Loose = { ...bare, body: 'Warm coats', adSetId: '42' };

export interface Refusal {
  code: ErrorCode;
  param?: string;
  fields: Record<string, string[]>;
}

/** The refusal of an input, or undefined when it is accepted. Anything but an AppError fails the test. */
export function refusalOf(
  value: unknown,
  schema: Parameters<typeof parseInput>[0] = CreateAdInput,
): Refusal | undefined {
  try {
    parseInput(schema, value, { dropNulls: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const fields = error.extras.details?.['fields'] as Record<string, string[]>;
    return { code: error.code, param: error.extras.param, fields };
  }
}
