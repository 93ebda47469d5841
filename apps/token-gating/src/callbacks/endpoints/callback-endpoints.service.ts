import type { Principal } from '@app/auth';
import { badRequest, conflict, DAY_MS, notFound } from '@app/common';
import { Database, lockTransaction, runAfterCommit } from '@app/database';
import { type CallbackEndpointChange, MAX_ENDPOINTS, type NewCallbackEndpoint } from '@app/dto';
import { SafeHttpClient } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ulid } from 'ulid';
import { createChallenge, DeliveryRepository, DeliverySignal } from '../delivery.repository.js';
import {
  deleteEndpoint,
  findEndpoint,
  hasOtherEndpointAt,
  insertEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  type StoredEndpoint,
  updateEndpoint,
} from './callback-endpoints.queries.js';
import {
  type CallbackEndpoint,
  type CallbackEndpointList,
  type CallbackEndpointSecret,
  type CreatedCallbackEndpoint,
  type EndpointHealth,
  type EndpointParams,
} from './callback-endpoints.dto.js';
import { EndpointAccessService, requireScopesOfEvents } from './endpoint-access.service.js';
import { countEndpointRequest } from './endpoint-requests.js';
import { EndpointSecrets } from './endpoint-secrets.js';

/** How long the secret before a rotation signs beside the new one. */
const SECRET_OVERLAP_MS = DAY_MS;

/** A challenge to be sent to an endpoint. */
interface Challenged {
  readonly endpointId: string;
  readonly clientId: string;
  readonly tenantId: string;
  readonly url: string;
}

/** The endpoints that client applications register for events (docs/adr/0125-callback-endpoints.md). */
@Injectable()
export class CallbackEndpointsService {
  constructor(
    private readonly database: Database,
    private readonly access: EndpointAccessService,
    private readonly http: SafeHttpClient,
    private readonly secrets: EndpointSecrets,
    private readonly deliveries: DeliveryRepository,
    private readonly signal: DeliverySignal,
  ) {}

  async list(principal: Principal, clientId: string): Promise<CallbackEndpointList> {
    await this.access.requireTenant(principal, clientId);
    return { items: (await listEndpoints(this.database, clientId)).map(toCallbackEndpoint) };
  }

  /** @throws AppError 404 */
  async find(principal: Principal, key: EndpointParams): Promise<CallbackEndpoint> {
    await this.access.requireTenant(principal, key.clientId);
    return this.load(key);
  }

  /** Sends the challenge. @throws AppError 400, and 409 where the application has enough endpoints or one at this URL */
  async create(
    principal: Principal,
    clientId: string,
    body: NewCallbackEndpoint,
  ): Promise<CreatedCallbackEndpoint> {
    const access = await this.access.requireAccess(principal, clientId, body.events);
    const { tenantId, scopes } = access;
    requireScopesOfEvents(access, body.events);
    this.checkUrl(body.url);
    const endpointId = `endpoint_${ulid()}`;
    const { text: secret, sealed: sealedSecret } = this.secrets.create(endpointId);
    const challenge = createChallenge();
    await this.database.transaction(async (manager) => {
      await lockEndpoints(manager, clientId);
      const existing = await listEndpoints(manager, clientId);
      if (existing.length >= MAX_ENDPOINTS) throw endpointLimitExceeded();
      const endpoint = { endpointId, clientId, tenantId, challenge, sealedSecret, scopes, ...body };
      if (!(await insertEndpoint(manager, endpoint))) throw endpointConflict();
      await this.sendChallenge(manager, endpoint, challenge);
    });
    return { ...(await this.load({ clientId, endpointId })), secret };
  }

  /** @throws AppError 400, 404, 409 */
  async change(
    principal: Principal,
    key: EndpointParams,
    { url, events, description }: CallbackEndpointChange,
  ): Promise<CallbackEndpoint> {
    const { clientId, endpointId } = key;
    await this.requireOwnEvents(principal, key, events);
    if (url !== undefined) this.checkUrl(url);
    await this.database.transaction(async (manager) => {
      await lockEndpoints(manager, clientId);
      if (url !== undefined && (await hasOtherEndpointAt(manager, key, url))) throw endpointConflict();
      const changed = await updateEndpoint(manager, key, { url, events, description }, createChallenge());
      if (!changed) throw endpointNotFound();
      const { challenge, tenantId } = changed;
      if (url === undefined || challenge === null) return;
      await this.sendChallenge(manager, { endpointId, clientId, tenantId, url }, challenge);
    });
    return this.load(key);
  }

  /** Ends the deliveries that wait, too. @throws AppError 404 */
  async remove(principal: Principal, key: EndpointParams): Promise<void> {
    await this.requireOwnEvents(principal, key);
    if (!(await deleteEndpoint(this.database, key))) throw endpointNotFound();
  }

  /** @throws AppError 404 */
  async rotateSecret(principal: Principal, key: EndpointParams): Promise<CallbackEndpointSecret> {
    await this.requireOwnEvents(principal, key);
    const { text: secret, sealed } = this.secrets.create(key.endpointId);
    if (!(await rotateEndpointSecret(this.database, key, sealed, SECRET_OVERLAP_MS)))
      throw endpointNotFound();
    return { secret };
  }

  /**
   * The owner needs the scopes of events that are new: an application that has lost a scope can still give up what needed it.
   * @throws AppError 403 without the scope of an event that the endpoint is to have, for a key also of one that it has; 404
   */
  private async requireOwnEvents(
    principal: Principal,
    key: EndpointParams,
    newEvents: readonly string[] = [],
  ): Promise<void> {
    await this.access.requireTenant(principal, key.clientId);
    const endpoint = await findEndpoint(this.database, key);
    if (!endpoint) throw endpointNotFound();
    const { events } = endpoint;
    const access = await this.access.requireAccess(principal, key.clientId, [...events, ...newEvents]);
    const added = newEvents.filter((type) => !events.includes(type));
    requireScopesOfEvents(access, access.isOwner ? added : [...events, ...added]);
  }

  private async load(key: EndpointParams): Promise<CallbackEndpoint> {
    const endpoint = await findEndpoint(this.database, key);
    if (!endpoint) throw endpointNotFound();
    return toCallbackEndpoint(endpoint);
  }

  private checkUrl(url: string): void {
    const message = this.http.findUrlProblem(url);
    if (message !== undefined)
      throw badRequest('input_invalid', `url: ${message}`, { issues: [{ path: 'url', message }] });
  }

  private async sendChallenge(
    manager: EntityManager,
    { endpointId, clientId, tenantId, url }: Challenged,
    challenge: string,
  ): Promise<void> {
    await countEndpointRequest(manager, tenantId);
    const payload = { communityId: '' as const, roles: [] as [], challenge };
    const delivery = { endpointId, clientId, tenantId, url, delayMs: 0, payload };
    await this.deliveries.insertCallbacks(manager, [delivery]);
    runAfterCommit(manager, () => {
      this.signal.notify();
    });
  }
}

/** Changes of one application's endpoints run one after the other, so that their number and their URLs can be compared. */
const lockEndpoints = (manager: EntityManager, clientId: string): Promise<void> =>
  lockTransaction(manager, `callback endpoints ${clientId}`);

function toCallbackEndpoint(endpoint: StoredEndpoint): CallbackEndpoint {
  const { id, url, events, description, createdAt, previousSecretUntil } = endpoint;
  return {
    ...{ id, url, events, description },
    createdTime: createdAt.toISOString(),
    previousSecretEnds: previousSecretUntil?.toISOString(),
    health: toHealth(endpoint),
  };
}

function toHealth(endpoint: StoredEndpoint): EndpointHealth {
  const { isVerified, lastSuccessAt, lastFailureAt, lastFailure, failingSince } = endpoint;
  return {
    state: toState(endpoint),
    verified: isVerified,
    lastSuccessTime: lastSuccessAt?.toISOString(),
    lastFailureTime: lastFailureAt?.toISOString(),
    lastFailure: lastFailure ?? undefined,
    failingSince: failingSince?.toISOString(),
  };
}

function toState({
  isVerified,
  disabledAt,
  suspendedAt,
  failingSince,
}: StoredEndpoint): EndpointHealth['state'] {
  if (suspendedAt) return 'suspended';
  if (disabledAt) return 'disabled';
  if (!isVerified) return 'unverified';
  return failingSince ? 'failing' : 'working';
}

const endpointLimitExceeded = () =>
  conflict(
    'callback_endpoint_limit_exceeded',
    `A client application has at most ${MAX_ENDPOINTS} endpoints.`,
  );

const endpointConflict = () =>
  conflict('callback_endpoint_conflict', 'The client application has an endpoint with this URL.');

export const endpointNotFound = () =>
  notFound('callback_endpoint_not_found', 'The client application has no such callback endpoint.');
