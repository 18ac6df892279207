import type { CreateAdInput } from '../../contract/ad-input.ts';
import type { OrderProblem } from '../platform.ts';
import { planGoal } from './goals.ts';

export const minAge = 18;

/** Rules that the platform checks only after pin and campaign exist and that can be checked beforehand. */
export const checkOrder = (input: CreateAdInput, conversionObjective: string): OrderProblem[] => [
  ...unknownEvent(input, conversionObjective),
  ...(['ageMin', 'ageMax'] as const).flatMap((path) =>
    (input[path] ?? minAge) < minAge ? [{ path, message: `must be at least ${minAge} on this platform` }] : [],
  ),
  ...malformedAudienceIds(input),
];

function malformedAudienceIds({ audienceId, excludedAudienceIds = [] }: CreateAdInput): OrderProblem[] {
  const ids = [
    ...(audienceId === undefined ? [] : [{ path: 'audienceId', id: audienceId }]),
    ...excludedAudienceIds.map((id, at) => ({ path: `excludedAudienceIds.${at}`, id })),
  ];
  return ids.flatMap(({ path, id }) =>
    /^\d+$/.test(id) ? [] : [{ path, message: 'must consist of digits on this platform' }],
  );
}

function unknownEvent(input: CreateAdInput, conversionObjective: string): OrderProblem[] {
  const { counts } = input.goal ? planGoal(input.goal, input, conversionObjective) : {};
  if (!counts || counts.known.includes(counts.event)) return [];
  const message = `is ${input.promotedObject?.customEventType}, but with the goal ${input.goal} must be one of ${counts.known.join(', ')}`;
  return [{ path: 'promotedObject.customEventType', message }];
}
