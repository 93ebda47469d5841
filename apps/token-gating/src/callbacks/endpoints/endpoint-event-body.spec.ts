import { expect, it } from '@jest/globals';
import { endpointEventBody } from './endpoint-event-body.js';
import { endpointEventType } from '@app/dto';
import { findScopesOfEvents, TEST_EVENT } from './endpoint-events.js';

it('endpointEventBody: describes each event that an endpoint may subscribe to, and the test event', () => {
  const described = endpointEventBody.options.map(({ shape }) => shape.type.value);
  expect(described.sort()).toEqual([...endpointEventType.options, TEST_EVENT].sort());
});

it('findScopesOfEvents: an event needs the scope of what it is about, and an unknown one needs all', () => {
  expect(findScopesOfEvents(['role.granted', 'check.completed'])).toEqual(['token-gating']);
  expect(findScopesOfEvents(['operation.changed'])).toEqual(['accountkit']);
  expect(findScopesOfEvents(['wallet.moved']).sort()).toEqual([
    'accountkit',
    'token-gating',
    'user:wallet:read',
  ]);
  expect(findScopesOfEvents(['application.approved'])).toEqual([]);
});
