import { z } from 'zod';
import { displayText } from './display-text.js';
import { EXAMPLES } from './examples.js';
import { tokenGatingRequest } from './rules/token-gating-request.js';
import type { Scope } from './scopes.js';

const MAX_DESCRIPTION_LENGTH = 200;

/** How many endpoints a client application may have. */
export const MAX_ENDPOINTS = 10;

/** How long deliveries to endpoints are listed, and may be sent again. */
export const ENDPOINT_DELIVERY_DAYS = 3;

/** The events that an endpoint may subscribe to. */
export const endpointEventType = z.enum([
  'role.granted',
  'role.revoked',
  'member.joined',
  'member.left',
  'member.removed',
  'check.completed',
  'operation.changed',
  'wallet.linked',
  'wallet.unlinked',
  'application.approved',
]);
export type EndpointEventType = z.output<typeof endpointEventType>;

/** The scope that a client application must have to be told of an event; null for an event about the application itself. */
export const EVENT_SCOPES = {
  'role.granted': 'token-gating',
  'role.revoked': 'token-gating',
  'member.joined': 'token-gating',
  'member.left': 'token-gating',
  'member.removed': 'token-gating',
  'check.completed': 'token-gating',
  'operation.changed': 'accountkit',
  'wallet.linked': 'user:wallet:read',
  'wallet.unlinked': 'user:wallet:read',
  'application.approved': null,
} as const satisfies Record<EndpointEventType, Scope | null>;

const url = tokenGatingRequest.shape.callbackUrl.unwrap().meta({
  description:
    'URL that gets signed events, once it has answered a signed challenge with 200 and `{"challenge": "<the same>"}`',
});
const events = z
  .array(endpointEventType)
  .min(1, 'must name at least one event')
  .max(endpointEventType.options.length, 'must not name an event twice')
  .refine((types) => new Set(types).size === types.length, 'must not name an event twice')
  .meta({ description: 'The events that the endpoint gets' });
const description = z.union([z.literal(''), displayText(MAX_DESCRIPTION_LENGTH)]).meta({
  description: 'What the endpoint is for, for people',
});

const EXAMPLE = {
  url: `${EXAMPLES.receiverUrl}events`,
  events: ['role.granted', 'role.revoked'],
  description: 'Bot of the shop',
};

export const newCallbackEndpoint = z
  .strictObject({ url, events, description: description.default('') })
  .meta({ id: 'NewCallbackEndpoint', example: EXAMPLE });
export type NewCallbackEndpoint = z.output<typeof newCallbackEndpoint>;

export const callbackEndpointChange = z
  .strictObject({ url, events, description })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'must change something')
  .meta({
    id: 'CallbackEndpointChange',
    description:
      'What is left out stays. With its own `url` an endpoint that is not verified gets a new challenge.',
    example: { description: 'Bot of the shop' },
  });
export type CallbackEndpointChange = z.output<typeof callbackEndpointChange>;
