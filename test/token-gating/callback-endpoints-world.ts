import type { ServerResponse } from 'node:http';
import type { Principal } from '@app/auth';
import type { Scope } from '@app/dto';
import { CallbackLog, type SeenCallback } from '../support/callback-log.js';
import { until } from '../support/until.js';
import type { Answer } from './gating-app.js';
import { RolesWorld } from './roles-world.js';

export interface ShownEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: string[];
  readonly secret: string;
  readonly previousSecretEnds?: string;
  readonly health: { readonly state: string; readonly verified: boolean; readonly lastFailure?: string };
}

export interface ShownDelivery {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: { status?: number; failure?: string; answer?: string; milliseconds: number }[];
}

export interface SeenEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

/** Answers a challenge, and 204 to everything else. */
export function answerChallenge({ body }: SeenCallback, response: ServerResponse): void {
  const { challenge } = JSON.parse(body.toString()) as { challenge?: string };
  if (challenge === undefined) response.writeHead(204).end();
  else response.writeHead(200).end(JSON.stringify({ challenge }));
}

export const parseEvent = ({ body }: Pick<SeenCallback, 'body'>): SeenEvent =>
  JSON.parse(body.toString()) as SeenEvent;

/** Each application has a tenant of its own, because challenges of a tenant are limited. */
export const asClientOfOwner = (clientId: string, scope: Scope = 'token-gating'): Principal => ({
  kind: 'caller',
  client: { id: clientId, ownerId: `owner_of_${clientId}`, plan: 'free' },
  scopes: [scope],
});

/** Client applications with endpoints, and a receiver that answers challenges. */
export class CallbackEndpointsWorld {
  private constructor(
    readonly roles: RolesWorld,
    readonly receiver: CallbackLog,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<CallbackEndpointsWorld> {
    const receiver = await CallbackLog.start();
    receiver.answer = answerChallenge;
    const roles = await RolesWorld.start({
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
      CALLBACK_RETRY_AFTER_MS: '100,100,100',
      CALLBACK_POLL_MS: '100',
      SWEEP_INTERVAL_MS: '100',
      ...env,
    });
    return new CallbackEndpointsWorld(roles, receiver);
  }

  request(clientId: string, method: string, path = '', body?: object, as?: Principal): Promise<Answer> {
    return this.roles.gating.request(
      method,
      `/client-applications/${clientId}/callback-endpoints${path}`,
      body && JSON.stringify(body),
      {},
      as ?? asClientOfOwner(clientId),
    );
  }

  /** @throws Error where it is refused */
  async register(clientId: string, events: string[], path = `/${clientId}`): Promise<ShownEndpoint> {
    const { status, body } = await this.request(clientId, 'POST', '', {
      url: this.receiver.url(path),
      events,
    });
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as ShownEndpoint;
  }

  /** Registers an endpoint that has answered its challenge. */
  async registerVerified(clientId: string, events: string[], path?: string): Promise<ShownEndpoint> {
    const endpoint = await this.register(clientId, events, path);
    await this.untilState(clientId, endpoint.id, 'working');
    return endpoint;
  }

  async show(clientId: string, id: string): Promise<ShownEndpoint> {
    return (await this.request(clientId, 'GET', `/${id}`)).body as ShownEndpoint;
  }

  async untilState(clientId: string, id: string, state: string): Promise<void> {
    await until(
      `the endpoint is ${state}`,
      async () => (await this.show(clientId, id)).health.state === state,
    );
  }

  async deliveries(clientId: string, id: string): Promise<ShownDelivery[]> {
    const { body } = await this.request(clientId, 'GET', `/${id}/deliveries`);
    return (body as { items: ShownDelivery[] }).items;
  }

  /** What came at a path, without challenges. */
  seenAt(path: string): SeenCallback[] {
    return this.receiver.seen.filter((each) => each.path === path && 'type' in parseEvent(each));
  }

  eventsAt(path: string): SeenEvent[] {
    return this.seenAt(path).map(parseEvent);
  }

  async stop(): Promise<void> {
    await this.roles.stop();
    await this.receiver.stop();
  }
}
