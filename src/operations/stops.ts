import {
  ListStopsInput,
  ListStopsResult,
  PauseEverythingInput,
  Stop,
  StopInput,
  StopPayload,
  StopResult,
} from '../contract/stop.ts';
import { findStop, listStops } from '../services/stops/find-stop.ts';
import { liftStop } from '../services/stops/lift-stop.ts';
import { pauseEverything } from '../services/stops/start-stop.ts';
import { subscribeStop } from '../services/stops/subscribe-stop.ts';
import { operation, subscription } from './operation.ts';

export const stopOperations = [
  operation({
    name: 'pauseEverything',
    method: 'POST',
    path: '/v1/stops',
    summary: 'Start an emergency stop',
    description:
      'Pauses every running campaign of an account, an ad account or an API key in the background, and refuses activations there until `liftStop`. A second call for the same target runs the stop that is in force again and returns it.',
    input: PauseEverythingInput,
    output: StopPayload,
    status: 202,
    errors: ['account_not_found', 'api_key_not_found', 'mutually_exclusive_fields'],
    run: pauseEverything,
  }),
  operation({
    name: 'stops',
    method: 'GET',
    path: '/v1/stops',
    summary: 'List emergency stops',
    description: 'Returns the last 100 stops that the API key can access, newest first; by default those in force.',
    input: ListStopsInput,
    output: ListStopsResult,
    graphql: { member: 'stops' },
    run: listStops,
  }),
  operation({
    name: 'stop',
    method: 'GET',
    path: '/v1/stops/{stopId}',
    summary: 'Retrieve an emergency stop',
    description: 'Returns the progress of a stop and the campaigns that it could not pause, or `job_not_found`.',
    input: StopInput,
    output: StopResult,
    errors: ['job_not_found'],
    graphql: { member: 'stop' },
    run: findStop,
  }),
  operation({
    name: 'liftStop',
    method: 'POST',
    path: '/v1/stops/{stopId}/lift',
    summary: 'Lift an emergency stop',
    description:
      'Allows activations again. Campaigns that the stop paused stay paused. Requires a key of scope `full` without budget limits that is not stopped itself.',
    input: StopInput,
    output: StopPayload,
    errors: ['job_not_found'],
    needsFullScope: true,
    run: liftStop,
  }),
];

export const stopProgress = subscription({
  name: 'stopProgress',
  description:
    'Progress of an emergency stop: the current state first, then every change until nothing is left to pause.',
  input: StopInput,
  output: Stop,
  run: subscribeStop,
});
