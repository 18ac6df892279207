import { expect, it } from 'vitest';
import { PlatformError } from '../../src/platforms/error.ts';
import { requireGood } from '../../src/platforms/linkedin/errors.ts';

function refusal(status: number, body: unknown): PlatformError {
  try {
    requireGood({ status, headers: {}, body }, { isWrite: true, token: 'hush' });
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
  throw new Error('Was not refused');
}

it('a refusal that holds nothing but the status still says what is lacking', () => {
  const refused = refusal(403, { status: 403 });
  expect([refused.fault, refused.message]).toEqual(['rejected', expect.stringContaining('lacks a role')]);
  expect(refusal(401, { status: 401 }).fault).toBe('auth_expired');
  expect(refusal(500, { status: 500 }).fault).toBe('unknown_outcome');
});

it('what is not of the form of the platform is called unreadable', () => {
  expect(refusal(403, { status: 200 }).message).toContain('unreadable');
  expect(refusal(403, '<html>').message).toContain('unreadable');
});

const entry = (fieldPath: string, description: string, code = 'INVALID_VALUE_FOR_FIELD'): object => ({
  code,
  description,
  input: { inputPath: { fieldPath } },
});

it('names every field and reason of several faults, which only the details have', () => {
  const { message, upstream } = refusal(400, {
    status: 400,
    code: 'MULTIPLE_VALIDATIONS_FAILED',
    message: 'Multiple errors occurred during the input validation. Please see errorDetails for more information.',
    errorDetails: {
      inputErrors: [entry('/Campaign/dailyBudget/amount', "value 1 can't be lower than 10", 'FIELD_VALUE_TOO_LOW')],
      conditionalInputErrors: [
        {
          code: 'CONDITIONAL_INVALID_VALUE',
          description: 'cannot be used here',
          conditionalInput: { input: { inputPath: { fieldPath: 'Campaign.unitCost.amount' } } },
        },
        { code: 'CONDITIONAL_INVALID_VALUE', description: '/Campaign/runSchedule/end must be after the start' },
      ],
    },
  });
  expect(upstream.fields).toEqual({
    budgetAmount: ["value 1 can't be lower than 10"],
    bidAmount: ['cannot be used here'],
    endDate: ['/Campaign/runSchedule/end must be after the start'],
  });
  expect(message).toContain("can't be lower than 10; cannot be used here");
});

it('believes the details rather than the text, which may change at any time', () => {
  const body = {
    status: 400,
    message: 'Something about /name',
    errorDetails: { inputErrors: [entry('unitCost/amount', 'is too low')] },
  };
  expect(refusal(400, body).upstream.fields).toEqual({ bidAmount: ['is too low'] });
  const unknown = { ...body, errorDetails: { inputErrors: [entry('colour', 'is odd')] } };
  expect(refusal(400, unknown).upstream.fields).toEqual({ name: ['Something about /name'] });
  const malformed = { ...body, errorDetails: 'none' };
  expect(refusal(400, malformed).upstream.fields).toEqual({ name: ['Something about /name'] });
});

it('names the button that a lead form refuses', () => {
  const message = 'ERROR :: /leadgenCallToAction/label :: "SHOP_NOW" is not an enum symbol\n';
  expect(refusal(422, { status: 422, message }).upstream.fields).toEqual({ callToAction: [message] });
});
