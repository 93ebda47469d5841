import { expect, it } from '@jest/globals';
import { parseClaimedDeliveries } from './delivery.js';

const row = (id: string, changes: object = {}) => ({
  id,
  tenantId: 'owner_1',
  attempt: 1,
  repeatBase: 0,
  url: 'https://shop.example/events',
  requestId: '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11',
  clientId: 'client_1',
  payload: {
    communityId: '',
    roles: [],
    event: { type: 'role.granted', timestamp: '2026-11-28T12:00:00Z', data: {} },
  },
  endpointId: 'endpoint_1',
  signingEndpointId: null,
  sealedSecret: null,
  sealedPreviousSecret: null,
  isWanted: true,
  isHeld: false,
  traceparent: null,
  ...changes,
});

it('parseClaimedDeliveries: sends the rest where a row has no content, or a URL that is none', () => {
  const rows = [row('a'), row('b', { payload: null }), row('c', { url: 'no url' }), row('d')];
  const { deliveries, unreadable } = parseClaimedDeliveries(rows);
  expect(deliveries.map(({ id }) => id)).toEqual(['a', 'd']);
  expect(unreadable.map(({ id, reason }) => [id, reason.split(':')[0]])).toEqual([
    ['b', 'payload'],
    ['c', 'url'],
  ]);
});

it('parseClaimedDeliveries: takes an event whose type another release has added', () => {
  const event = { type: 'wallet.linked', timestamp: '2026-11-28T12:00:00Z', data: { clientId: 'client_1' } };
  const { deliveries } = parseClaimedDeliveries([
    row('a', { payload: { communityId: '', roles: [], event } }),
  ]);
  expect(deliveries[0]?.payload.event).toEqual(event);
});
