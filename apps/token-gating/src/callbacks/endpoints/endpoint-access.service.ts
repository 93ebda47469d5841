import type { Principal } from '@app/auth';
import { forbidden, notFound } from '@app/common';
import { OWNER_SCOPE, type Scope } from '@app/dto';
import { clientRequired } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import { ENDPOINT_SCOPES, findScopesOfEvents } from './endpoint-events.js';

/** The right by which somebody manages the endpoints of a client application. */
export interface EndpointAccess {
  readonly tenantId: string;
  /** Scopes of the API key, or of the application whose owner asks. */
  readonly scopes: readonly Scope[];
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

  /** @throws AppError 403, 404 for the application of somebody else, 503 */
  async requireAccess(principal: Principal, clientId: string): Promise<EndpointAccess> {
    if (principal.kind !== 'caller') throw clientRequired();
    const { client, user, scopes } = principal;
    if (user) {
      if (!scopes.includes(OWNER_SCOPE)) throw endpointScopeRequired(OWNER_SCOPE);
      const { plans } = await this.identity.fetchClientPlans([clientId]);
      const plan = plans.find((each) => each.clientId === clientId);
      if (!plan || plan.ownerUserId !== user.id) throw otherClient();
      return { tenantId: plan.ownerId, scopes: keepEndpointScopes(plan.scopes) };
    }
    if (!client) throw clientRequired();
    if (client.id !== clientId) throw otherClient();
    if (!ENDPOINT_SCOPES.some((scope) => scopes.includes(scope)))
      throw endpointScopeRequired(ENDPOINT_SCOPES.join('` or `'));
    return { tenantId: client.ownerId, scopes: keepEndpointScopes(scopes) };
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
