import { AppError } from '../../contract/error.ts';
import type { Warning } from '../../contract/common.ts';
import { capabilityOf } from '../../contract/platforms.ts';
import type { UrlParameter } from '../../contract/url-parameters.ts';
import type { AdsAdapter } from '../../platforms/platform.ts';
import { authorOf } from '../activity/author.ts';
import { callPlatform } from '../accounts/platform-access.ts';
import { setValues } from '../campaigns/set-values.ts';
import type { Ctx } from '../context.ts';
import type { UpdateSubject } from './set-ad-status.ts';

/** Throws 501 on platforms where the parameters are part of the creative. */
export function requireUrlParameters({ platform, setUrlParameters }: AdsAdapter): void {
  if (setUrlParameters) return;
  const message = `Platform ${platform} cannot change the URL parameters of an existing ad: they belong to its creative. Create another ad and pause this one`;
  throw new AppError('unsupported_platform_operation', message, { param: 'urlParameters', platform });
}

/** Replaces the parameters at the platform, then in the records of all ads that share them. */
export async function setUrlParameters(
  ctx: Ctx,
  { ad, target: { adapter, account }, ref }: UpdateSubject,
  parameters: UrlParameter[],
): Promise<Warning[]> {
  const isShared = capabilityOf(adapter.platform).changesUrlParametersOf === 'ad_set';
  await callPlatform(
    ctx,
    account,
    (access) => adapter.setUrlParameters?.(access, ref, parameters) ?? Promise.resolve(),
    'ad_not_found',
  );
  const { accountId, platformAdSetId } = ad;
  const filter = isShared ? { accountId, platformAdSetId } : { _id: ad._id };
  await setValues(ctx, 'ad', { filter, values: { 'settings.urlParameters': parameters }, author: authorOf(ctx) });
  return isShared ? [{ param: 'urlParameters', message: 'apply to all ads of the ad set' }] : [];
}
