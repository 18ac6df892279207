import { z } from 'zod';
import { bidStrategies, budgetLevels, callsToAction, devices, goals } from './capability.ts';

export const Goal = z
  .enum(goals)
  .meta({ id: 'Goal', description: 'Goal of the ad; which ones are available depends on the platform' });
export type Goal = z.infer<typeof Goal>;

export const CallToAction = z
  .enum(callsToAction)
  .meta({ id: 'CallToAction', description: 'The text of the button; each platform supports some of them' });

export const BidStrategy = z.enum(bidStrategies).meta({
  id: 'BidStrategy',
  description:
    'How the platform bids: without a cap (default), with a bid cap or a cost cap (bidAmount), or for a minimum return (roasAverageFloor)',
});

export const BudgetLevel = z
  .enum(budgetLevels)
  .meta({ id: 'BudgetLevel', description: 'The object that carries a budget: the ad set or the campaign' });

export const Device = z.enum(devices).meta({ id: 'Device', description: 'A kind of device that shows ads' });
export const Gender = z.enum(['all', 'male', 'female']).meta({ id: 'Gender', description: 'Who sees the ad' });
export const DistanceUnit = z.enum(['mile', 'kilometer']).meta({ id: 'DistanceUnit', description: 'Unit of a radius' });
export const IdentityType = z
  .enum(['NETWORK_C_USER', 'CUSTOMIZED_USER'])
  .meta({ id: 'IdentityType', description: 'Identity of the ad on platform D' });
export const CampaignType = z
  .enum(['display', 'search'])
  .meta({ id: 'CampaignType', description: 'Kind of campaign on platform B' });
export const RequestedStatus = z
  .enum(['ACTIVE', 'PAUSED'])
  .meta({ id: 'RequestedStatus', description: 'Initial status.' });
