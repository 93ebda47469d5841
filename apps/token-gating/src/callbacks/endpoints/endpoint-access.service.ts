import type { Principal } from '@app/auth';
import { forbidden, notFound } from '@app/common';
import type { Scope } from '@app/dto';
import { clientRequired } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';

/** The scopes of an application that has something to be told; an API key needs one of them. */
export const ENDPOINT_SCOPES: readonly Scope[] = ['token-gating', 'accountkit'];

/** The scope of the portal, which no client application can request. */
const OWNER_SCOPE: Scope = 'user:client-application:write';

/**
 * Decides who may manage the endpoints of a client application: the application itself by its API key, and its owner in the portal. A user
 * who signed in to an application has no right to its endpoints.
 */
@Injectable()
export class EndpointAccessService {
  constructor(private readonly identity: IdentityClient) {}

  /** @returns the tenant of the application. @throws AppError 403, 404 for the application of somebody else, 503 */
  async requireTenant(principal: Principal, clientId: string): Promise<string> {
    if (principal.kind !== 'caller') throw clientRequired();
    const { client, user, scopes } = principal;
    if (user) {
      if (!scopes.includes(OWNER_SCOPE)) throw endpointScopeRequired(OWNER_SCOPE);
      const { plans } = await this.identity.fetchClientPlans([clientId]);
      const plan = plans.find((each) => each.clientId === clientId);
      if (!plan || plan.ownerUserId !== user.id) throw otherClient();
      return plan.ownerId;
    }
    if (!client) throw clientRequired();
    if (client.id !== clientId) throw otherClient();
    if (!ENDPOINT_SCOPES.some((scope) => scopes.includes(scope)))
      throw endpointScopeRequired(ENDPOINT_SCOPES.join('` or `'));
    return client.ownerId;
  }
}

const otherClient = () =>
  notFound('client_not_found', 'The callback endpoints of another client application are not shown.');

const endpointScopeRequired = (scopes: string) =>
  forbidden('scope_required', `Callback endpoints need the scope \`${scopes}\`.`);
