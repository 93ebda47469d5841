import { createPageSchema, EXAMPLES } from '@app/dto';
import { z } from 'zod';

const clientId = z.string().min(1).max(128).meta({ example: EXAMPLES.clientId });

export const endpointClientParams = z.object({ clientId });
export type EndpointClientParams = z.output<typeof endpointClientParams>;

export const endpointParams = z.object({
  clientId,
  endpointId: z.string().min(1).max(64).meta({ example: 'endpoint_01JD0000000000000000000000' }),
});
export type EndpointParams = z.output<typeof endpointParams>;

export const endpointDeliveryParams = endpointParams.extend({
  deliveryId: z.string().min(1).max(64).meta({ example: 'msg_01JD0000000000000000000000' }),
});
export type EndpointDeliveryParams = z.output<typeof endpointDeliveryParams>;

const time = z.iso.datetime();

const endpointHealth = z
  .object({
    state: z.enum(['unverified', 'working', 'failing', 'disabled', 'suspended']).meta({
      description:
        '`unverified`: has not answered its challenge; `failing`: the last delivery failed; `disabled`: answered 410 or failed for a day, ' +
        'and needs a new challenge; `suspended`: the application is not approved for what endpoints are about',
    }),
    verified: z.boolean(),
    lastSuccessTime: time.optional(),
    lastFailureTime: time.optional(),
    lastFailure: z.string().optional().meta({ description: 'Why the last attempt that failed did' }),
    failingSince: time.optional(),
  })
  .meta({ id: 'CallbackEndpointHealth' });
export type EndpointHealth = z.output<typeof endpointHealth>;

export const callbackEndpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    description: z.string(),
    createdTime: time,
    previousSecretEnds: time
      .optional()
      .meta({ description: 'Until then the secret before a rotation signs, too' }),
    health: endpointHealth,
  })
  .meta({ id: 'CallbackEndpoint' });
export type CallbackEndpoint = z.output<typeof callbackEndpoint>;

export const callbackEndpointList = z
  .object({ items: z.array(callbackEndpoint) })
  .meta({ id: 'CallbackEndpointList' });
export type CallbackEndpointList = z.output<typeof callbackEndpointList>;

export const callbackEndpointSecret = z
  .object({
    secret: z.string().meta({ description: '`whsec_…` of Standard Webhooks. It is shown this once only' }),
  })
  .meta({ id: 'CallbackEndpointSecret' });
export type CallbackEndpointSecret = z.output<typeof callbackEndpointSecret>;

export const createdCallbackEndpoint = callbackEndpoint
  .extend(callbackEndpointSecret.shape)
  .meta({ id: 'CreatedCallbackEndpoint' });
export type CreatedCallbackEndpoint = z.output<typeof createdCallbackEndpoint>;

const endpointAttempt = z.object({
  attempt: z.int().positive(),
  startedTime: time,
  milliseconds: z.int().nonnegative(),
  status: z.int().optional(),
  failure: z.string().optional().meta({ description: 'Why there was no status, or not the right answer' }),
  answer: z.string().optional().meta({
    description: 'The first 1 KiB of what a receiver at a public address answered, for 3 days',
  }),
});

const endpointDelivery = z
  .object({
    id: z.string().meta({ description: 'The `webhook-id` of the delivery' }),
    type: z.string().meta({ description: 'The event, `endpoint.test`, or `endpoint.challenge`' }),
    state: z.enum(['pending', 'delivered', 'failed']),
    createdTime: time,
    nextAttemptTime: time.optional().meta({ description: 'Of a pending delivery' }),
    attempts: z.array(endpointAttempt).meta({ description: 'Oldest first' }),
  })
  .meta({ id: 'CallbackEndpointDelivery' });
export type EndpointDelivery = z.output<typeof endpointDelivery>;

export const endpointDeliveryPage = createPageSchema(endpointDelivery, 'CallbackEndpointDeliveryPage');
export type EndpointDeliveryPage = z.output<typeof endpointDeliveryPage>;

export const endpointDeliveryId = z
  .object({ deliveryId: z.string() })
  .meta({ id: 'CallbackEndpointDeliveryId' });
export type EndpointDeliveryId = z.output<typeof endpointDeliveryId>;

export const endpointRecovery = z
  .strictObject({
    since: time.meta({ description: 'Failed deliveries that were created since then are sent again' }),
  })
  .meta({ id: 'CallbackEndpointRecovery', example: { since: EXAMPLES.startedAt } });
export type EndpointRecovery = z.output<typeof endpointRecovery>;

export const recoveredDeliveries = z
  .object({ recovered: z.int().nonnegative() })
  .meta({ id: 'RecoveredDeliveries' });
export type RecoveredDeliveries = z.output<typeof recoveredDeliveries>;
