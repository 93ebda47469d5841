import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Principal } from '@app/auth';
import { forbidden } from '@app/common';
import type { CallerRequirement, Scope } from '@app/dto';
import { RefusalStore } from '@app/rate-limits';
import type { Request } from 'express';
import { credentialInvalid, userRequired } from '../authenticate/authenticate.errors.js';
import { getApiKey } from '../authenticate/credential-headers.js';
import { getMatchedOperation, getRequestContext } from '../../request-context.js';
import { describeMissingScope } from './describe-missing-scope.js';

const MISSING_SCOPE = 'scope_required';

/** May this caller use this operation? Nobody where somebody is needed is 401, somebody without the right is 403. */
@Injectable()
export class AuthorizeGuard implements CanActivate {
  constructor(private readonly refusals: RefusalStore) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { callerRequirement, scope } = getMatchedOperation(request);
    if (callerRequirement === 'none') return true;
    const who = getRequestContext(request).caller;
    if (who?.principal.kind !== 'caller') throw credentialInvalid();
    const { principal, client } = who;
    checkUserPresent(callerRequirement, principal);
    if (callerRequirement === 'client' && scope === undefined) checkClientCredential(principal, request);
    if (scope === undefined || hasScope(scope, principal)) return true;
    if (client) this.refusals.record(client.ownerId, client.clientId, MISSING_SCOPE);
    throw forbidden(MISSING_SCOPE, describeMissingScope(scope, who), { scope });
  }
}

type CallerPrincipal = Extract<Principal, { kind: 'caller' }>;

/** An API key names no user, so where a user is needed it names nobody (contract.md section 1). */
function checkUserPresent(needed: Exclude<CallerRequirement, 'none'>, { user }: CallerPrincipal): void {
  if (needed === 'user' && !user) throw userRequired();
}

/**
 * A user's token names its client application, too, and what that may do with it is said by scopes. Where no scope says it,
 * the client application has to ask itself: whoever holds one small token could have a larger one made otherwise.
 */
function checkClientCredential({ user }: CallerPrincipal, request: Request): void {
  if (!user || getApiKey(request) !== undefined) return;
  throw forbidden('client_required', 'This operation is for client applications: send an X-API-Key.');
}

const hasScope = (scope: Scope, { scopes }: CallerPrincipal): boolean =>
  scope === '$public' || scopes.includes(scope);
