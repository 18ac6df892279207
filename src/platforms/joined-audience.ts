import type { CreateAdInput } from '../contract/ad-input.ts';
import type { OrderProblem } from './platform.ts';

/** The warning of platforms that show an ad to people of the audience or with one of the interests, not only to those of both. */
export const joinedAudience = ({ audienceId, interests = [] }: CreateAdInput): OrderProblem[] =>
  audienceId !== undefined && interests.length > 0
    ? [
        {
          path: 'interests',
          message:
            'are added to the audience: the platform also shows the ad to people outside it who have one of them',
        },
      ]
    : [];
