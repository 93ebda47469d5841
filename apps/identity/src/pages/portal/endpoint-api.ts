import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { SessionUser } from '../../browser-sessions/browser-sessions.queries.js';
import { PortalApi } from '../../clients/portal-api.js';

const time = z.iso.datetime();

/** What pages need of the responses of token-gating's operations; what else a response has is dropped. */
const endpoint = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string(),
  previousSecretEnds: time.optional(),
  health: z.object({
    // Text, because another release may know further states.
    state: z.string(),
    verified: z.boolean(),
    lastSuccessTime: time.optional(),
    lastFailure: z.string().optional(),
  }),
});
export type Endpoint = Readonly<z.output<typeof endpoint>>;

const issuedSecret = z.object({ secret: z.string() });
const createdEndpoint = endpoint.extend(issuedSecret.shape);
const recovered = z.object({ recovered: z.int() });

const delivery = z.object({
  id: z.string(),
  type: z.string(),
  // Text, because another release may know further states.
  state: z.string(),
  createdTime: time,
  attempts: z.array(
    z.object({
      startedTime: time,
      status: z.int().optional(),
      failure: z.string().optional(),
      answer: z.string().optional(),
    }),
  ),
});
export type Delivery = Readonly<z.output<typeof delivery>>;

const nothing = z.unknown();

/** An endpoint of a client application, as the path of its page names it. */
export interface EndpointKey {
  readonly clientId: string;
  readonly endpointId: string;
}

export interface EndpointFields {
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
}

const DELIVERIES_SHOWN = '20';

/** Callback endpoints in the right of the signed-in user. Every method throws the error of its operation, or 503 while token-gating is away. */
@Injectable()
export class EndpointApi {
  constructor(private readonly api: PortalApi) {}

  async list(user: SessionUser, clientId: string): Promise<readonly Endpoint[]> {
    const list = z.object({ items: z.array(endpoint) });
    const operation = 'CallbackEndpointController.listCallbackEndpoints';
    return (await this.api.call(user, operation, { params: { clientId } }, list)).items;
  }

  get(user: SessionUser, key: EndpointKey): Promise<Endpoint> {
    return this.api.call(
      user,
      'CallbackEndpointController.getCallbackEndpoint',
      { params: { ...key } },
      endpoint,
    );
  }

  create(
    user: SessionUser,
    clientId: string,
    body: EndpointFields,
  ): Promise<z.output<typeof createdEndpoint>> {
    const operation = 'CallbackEndpointController.createCallbackEndpoint';
    return this.api.call(user, operation, { params: { clientId }, body }, createdEndpoint);
  }

  /** With its own `url` an endpoint that is not verified gets a new challenge. */
  async change(user: SessionUser, key: EndpointKey, body: Partial<EndpointFields>): Promise<void> {
    const operation = 'CallbackEndpointController.changeCallbackEndpoint';
    await this.api.call(user, operation, { params: { ...key }, body }, nothing);
  }

  async remove(user: SessionUser, key: EndpointKey): Promise<void> {
    await this.api.call(
      user,
      'CallbackEndpointController.deleteCallbackEndpoint',
      { params: { ...key } },
      nothing,
    );
  }

  async rotateSecret(user: SessionUser, key: EndpointKey): Promise<string> {
    const operation = 'CallbackEndpointController.rotateCallbackEndpointSecret';
    return (await this.api.call(user, operation, { params: { ...key } }, issuedSecret)).secret;
  }

  async test(user: SessionUser, key: EndpointKey): Promise<void> {
    await this.api.call(
      user,
      'CallbackEndpointController.testCallbackEndpoint',
      { params: { ...key } },
      nothing,
    );
  }

  /** The newest deliveries. */
  async listDeliveries(user: SessionUser, key: EndpointKey): Promise<readonly Delivery[]> {
    const operation = 'CallbackEndpointController.listCallbackEndpointDeliveries';
    const list = z.object({ items: z.array(delivery) });
    const query = { limit: DELIVERIES_SHOWN };
    return (await this.api.call(user, operation, { params: { ...key }, query }, list)).items;
  }

  async redeliver(user: SessionUser, key: EndpointKey, deliveryId: string): Promise<void> {
    const operation = 'CallbackEndpointController.redeliverToCallbackEndpoint';
    await this.api.call(user, operation, { params: { ...key, deliveryId } }, nothing);
  }

  /** Sends failed deliveries since then again. @returns how many */
  async recover(user: SessionUser, key: EndpointKey, since: Date): Promise<number> {
    const operation = 'CallbackEndpointController.recoverCallbackEndpoint';
    const body = { since: since.toISOString() };
    return (await this.api.call(user, operation, { params: { ...key }, body }, recovered)).recovered;
  }
}
