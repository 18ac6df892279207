import type { CreateAdPayload } from '../../contract/ad.ts';
import type { Warning } from '../../contract/common.ts';
import type { Access } from '../../platforms/platform.ts';
import type { Services } from '../context.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { dryRunJournal } from '../durable/step-journal.ts';
import type { NewOrder } from './build-ads.ts';
import { toAdOrder, warningsInto } from './order.ts';
import { withCallersFields } from './order-error.ts';

/** Dry run: returns the requests that would be sent and runs the platform's own validation; creates nothing. */
export async function dryRunAd(services: Services, placed: NewOrder, warnings: Warning[]): Promise<CreateAdPayload> {
  const { adapter, account } = placed;
  const found: Warning[] = [];
  const order = { ...toAdOrder(placed, adapter), warn: warningsInto(found) };
  const journal = dryRunJournal();
  const validate = async (access: Access): Promise<void> => {
    await adapter.createAds(access, order, journal);
    await adapter.validateAds?.(access, order);
  };
  await callPlatform(services, account, (access) =>
    validate(access).catch((error: unknown) => {
      throw withCallersFields(error, { input: order.input });
    }),
  );
  const requests = journal.requests.map(({ method, url, body }) => ({ method, url, body: body ?? null }));
  const all = [...warnings, ...found];
  return { valid: true, requests, ...(all.length > 0 && { warnings: all }) };
}
