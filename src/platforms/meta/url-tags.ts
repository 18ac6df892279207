import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { UrlParameter } from '../../contract/url-parameters.ts';
import { macrosIn } from '../../lib/link-parameters.ts';
import type { OrderProblem } from '../platform.ts';
import { parametersIn, urlQuery, type MacrosOf } from '../url-parameters.ts';

const macros: MacrosOf<'A'> = {
  campaignId: '{{campaign.id}}',
  campaignName: '{{campaign.name}}',
  adSetId: '{{adset.id}}',
  adSetName: '{{adset.name}}',
  adId: '{{ad.id}}',
  adName: '{{ad.name}}',
  placement: '{{placement}}',
};

export const urlTagsOf = (parameters: UrlParameter[] | undefined): string | undefined => urlQuery(parameters, macros);

export const parametersOf = (urlTags = ''): UrlParameter[] => parametersIn(urlTags, macros);

const frozen = 'contains a name, which the platform keeps as it is when the ad is first published';

/** Parameters with names that a later renaming does not change. */
export const nameWarnings = ({ urlParameters, creatives = [] }: CreateAdInput): OrderProblem[] =>
  [
    { path: 'urlParameters', parameters: urlParameters },
    ...creatives.map(({ urlParameters: own }, at) => ({ path: `creatives.${at}.urlParameters`, parameters: own })),
  ].flatMap(({ path, parameters = [] }) =>
    parameters.flatMap(({ value }, at) =>
      macrosIn(value).some((name) => name.endsWith('Name')) ? [{ path: `${path}.${at}.value`, message: frozen }] : [],
    ),
  );
