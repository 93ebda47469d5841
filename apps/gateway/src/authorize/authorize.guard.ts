import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Principal } from '@app/auth';
import { forbidden } from '@app/common';
import type { Caller, Scope } from '@app/dto';
import { Refusals } from '@app/shared-state';
import type { Request } from 'express';
import { noValidCredential, userNeeded } from '../authenticate/authenticate.errors.js';
import { apiKeyOf } from '../authenticate/presented-credentials.js';
import { matchedOperation, passOf } from '../gate-pass.js';
import { whyMissing } from './why-missing.js';

const MISSING_SCOPE = 'missing_scope';

/** May this caller use this operation? Nobody where somebody is needed is 401, somebody without the right is 403. */
@Injectable()
export class AuthorizeGuard implements CanActivate {
  constructor(private readonly refusals: Refusals) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { caller, scope } = matchedOperation(request);
    if (caller === 'none') return true;
    const who = passOf(request).caller;
    if (who?.principal.kind !== 'caller') throw noValidCredential();
    const { principal, client } = who;
    checkCaller(caller, principal);
    if (caller === 'client' && scope === undefined) checkSpeaksForItself(principal, request);
    if (scope === undefined || hasScope(scope, principal)) return true;
    if (client) this.refusals.note(client.ownerId, client.clientId, MISSING_SCOPE);
    throw forbidden(MISSING_SCOPE, whyMissing(scope, who), { scope });
  }
}

type NamedCaller = Extract<Principal, { kind: 'caller' }>;

/** An API key names no user, so where a user is needed it names nobody (contract.md section 1). */
function checkCaller(needed: Exclude<Caller, 'none'>, { user }: NamedCaller): void {
  if (needed === 'user' && !user) throw userNeeded();
}

/**
 * A user's token names its client application, too, and what that may do with it is said by scopes. Where no scope says it,
 * the client application has to ask itself: whoever holds one small token could have a larger one made otherwise.
 */
function checkSpeaksForItself({ user }: NamedCaller, request: Request): void {
  if (!user || apiKeyOf(request) !== undefined) return;
  throw forbidden('client_needed', 'This operation is for client applications: send an X-API-Key.');
}

const hasScope = (scope: Scope, { scopes }: NamedCaller): boolean =>
  scope === '$public' || scopes.includes(scope);
