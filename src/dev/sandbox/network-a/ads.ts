import { rejectUnknownFields, requireObject, requireOneOf, requireText, textOf, type Body } from './checks.ts';
import { invalid, unknownObject } from './errors.ts';
import { parameters } from './parameters.ts';
import { effectiveStatus, type AdAccount, type GraphObject, type SandboxState } from './state.ts';

/** Validates a new ad. */
export function checkAd(sandbox: SandboxState, account: AdAccount, body: Body): Body {
  rejectUnknownFields(body, parameters.ad);
  requireText(body, 'name');
  requireOneOf(body, 'status', ['ACTIVE', 'PAUSED']);
  const set = sandbox.objects.get(requireText(body, 'adset_id'));
  if (set?.kind !== 'adset' || set.accountId !== account.id) throw unknownObject(String(body['adset_id']));
  if (/DELETED|ARCHIVED/.test(effectiveStatus(sandbox, set)))
    throw invalid('The ad set is deleted', { subcode: 1487056, field: 'adset_id' });
  if (set.fields['is_dynamic_creative'] === true && sandbox.under('ad', set.id).length > 0) {
    throw invalid('A dynamic ad set can contain only one ad', { subcode: 1885553, field: 'adset_id' });
  }
  const promoted = (set.fields['promoted_object'] ?? {}) as Body;
  if (set.fields['destination_type'] === 'ON_POST' && !promoted['page_id'])
    throw invalid('The ad set names no page', { subcode: 1885154, field: 'adset_id' });
  const creative = sandbox.objects.get(textOf(requireObject(body['creative'], 'creative')['creative_id']) ?? '');
  if (creative?.kind !== 'adcreative' || creative.accountId !== account.id)
    throw invalid('The creative does not exist', { field: 'creative' });
  checkFit(set, creative);
  return body;
}

/** The creative must use the page and destination of the ad set. */
function checkFit(set: GraphObject, creative: GraphObject): void {
  const promoted = (set.fields['promoted_object'] ?? {}) as Body;
  const story = (creative.fields['object_story_spec'] ?? {}) as Body;
  if (promoted['page_id'] && story['page_id'] && textOf(promoted['page_id']) !== textOf(story['page_id']))
    throw invalid('The page of the ad is not that of its ad set', { subcode: 1885029, field: 'creative' });
  if (set.fields['destination_type'] === 'ON_VIDEO' && story['link_data'])
    throw invalid('The creative must be a video', { subcode: 1815279, field: 'creative' });
  const data = (story['link_data'] ?? story['video_data'] ?? {}) as Body;
  const value = (data['call_to_action'] as { value?: Body } | undefined)?.value ?? {};
  if (set.fields['destination_type'] === 'ON_AD' && creative.fields['object_story_spec'] && !value['lead_gen_form_id'])
    throw invalid('The button must open the lead form', { field: 'creative' });
}
