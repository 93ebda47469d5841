import type { Principal } from '@app/auth';
import { forbidden, notFound } from '@app/common';
import { OWNER_SCOPE, type Scope } from '@app/dto';
import { clientRequired } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import { ENDPOINT_SCOPES, findScopesOfEvents } from './endpoint-events.js';

const isUserScope = (scope: Scope): boolean => scope.startsWith('user:');

/** An API key needs one of them. */
const KEY_SCOPES = ENDPOINT_SCOPES.filter((scope) => !isUserScope(scope));

/** The right by which somebody manages the endpoints of a client application. */
export interface EndpointAccess {
  readonly tenantId: string;
  /**
   * Scopes of the application whose owner asks, or of the API key. A key has no scope of users: what the application may read of users who
   * granted it is the application's, whichever key asks.
   */
  readonly scopes: readonly Scope[];
  /** The owner may change and delete everything of the application; a key only what its scopes are about. */
  readonly isOwner: boolean;
}

/**
 * Decides who may manage the endpoints of a client application: the application itself by its API key, and its owner in the portal. A user
 * who signed in to an application has no right to its endpoints.
 */
@Injectable()
export class EndpointAccessService {
  constructor(private readonly identity: IdentityClient) {}

  /** @returns the tenant of the application. @throws AppError 403, 404 for the application of somebody else, 503 */
  async requireTenant(principal: Principal, clientId: string): Promise<string> {
    return (await this.requireAccess(principal, clientId)).tenantId;
  }

  /**
   * @param events that matter for what is asked: identity is asked for the application's scopes where they need one of users
   * @throws AppError 403, 404 for the application of somebody else, 503
   */
  async requireAccess(
    principal: Principal,
    clientId: string,
    events: readonly string[] = [],
  ): Promise<EndpointAccess> {
    if (principal.kind !== 'caller') throw clientRequired();
    const { client, user, scopes } = principal;
    if (user) {
      if (!scopes.includes(OWNER_SCOPE)) throw endpointScopeRequired(OWNER_SCOPE);
      const { plans } = await this.identity.fetchClientPlans([clientId]);
      const plan = plans.find((each) => each.clientId === clientId);
      if (!plan || plan.ownerUserId !== user.id) throw otherClient();
      return { tenantId: plan.ownerId, scopes: keepEndpointScopes(plan.scopes), isOwner: true };
    }
    if (!client) throw clientRequired();
    if (client.id !== clientId) throw otherClient();
    if (!KEY_SCOPES.some((scope) => scopes.includes(scope)))
      throw endpointScopeRequired(KEY_SCOPES.join('` or `'));
    const ofUsers = findScopesOfEvents(events).some(isUserScope) ? await this.loadUserScopes(clientId) : [];
    const all = keepEndpointScopes([...scopes.filter((scope) => !isUserScope(scope)), ...ofUsers]);
    return { tenantId: client.ownerId, scopes: all, isOwner: false };
  }

  private async loadUserScopes(clientId: string): Promise<Scope[]> {
    const { plans } = await this.identity.fetchClientPlans([clientId]);
    return (plans.find((plan) => plan.clientId === clientId)?.scopes ?? []).filter(isUserScope);
  }
}

/** @throws AppError 403 where the key, or the application whose owner asks, lacks the scope of an event */
export function requireScopesOfEvents({ scopes }: EndpointAccess, events: readonly string[]): void {
  const missing = findScopesOfEvents(events).find((scope) => !scopes.includes(scope));
  if (missing !== undefined)
    throw forbidden('scope_required', `Events of this endpoint need the scope \`${missing}\`.`);
}

/** The scopes that matter for endpoints, in the order in which they are stored. */
export const keepEndpointScopes = (scopes: readonly string[]): Scope[] =>
  ENDPOINT_SCOPES.filter((scope) => scopes.includes(scope));

const otherClient = () =>
  notFound('client_not_found', 'The callback endpoints of another client application are not shown.');

const endpointScopeRequired = (scopes: string) =>
  forbidden('scope_required', `Callback endpoints need the scope \`${scopes}\`.`);
