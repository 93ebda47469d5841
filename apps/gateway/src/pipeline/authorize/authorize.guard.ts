import { Injectable } from '@nestjs/common';
import {
  type Principal,
  DEFAULT_SCOPES,
  isEthereumCredentialScope,
  isWalletLogin,
  walletLoginRequired,
} from '@app/auth';
import { forbidden } from '@app/common';
import type { CallerRequirement, Scope } from '@app/dto';
import { RefusalStore } from '@app/limits';
import type { Request } from 'express';
import { credentialInvalid, userRequired } from '../../credentials/credentials.errors.js';
import { getApiKey } from '../authenticate/credential-headers.js';
import { getMatchedOperation, getRequestContext } from '../../request-context.js';
import type { AuthenticatedCaller } from '../../credentials/authenticated-caller.js';
import { isUserScope } from '../../credentials/effective-scopes.js';
import { PipelineGuard } from '../pipeline-guard.js';

const MISSING_SCOPE = 'scope_required';

/** Checks whether the caller may use the operation: 401 for a missing client or user, 403 for a missing scope. */
@Injectable()
export class AuthorizeGuard extends PipelineGuard {
  constructor(private readonly refusals: RefusalStore) {
    super();
  }

  check(request: Request): true {
    const { callerRequirement, scope, requiresWalletLogin } = getMatchedOperation(request);
    if (callerRequirement === 'none') return true;
    const { caller } = getRequestContext(request);
    if (caller?.principal.kind !== 'caller') {
      // PublishableIdGuard has judged the operation.
      if (caller?.principal.kind === 'publishable') return true;
      throw credentialInvalid();
    }
    const { principal, client } = caller;
    checkUserPresent(callerRequirement, principal);
    if (callerRequirement === 'client' && scope === undefined) checkClientCredential(principal, request);
    if (scope !== undefined && !hasScope(scope, principal)) {
      if (client) this.refusals.record(client.ownerId, client.clientId, MISSING_SCOPE);
      throw forbidden(MISSING_SCOPE, describeMissingScope(scope, caller), { scope });
    }
    // The app checks it, too, but an app of the release before passkeys does not.
    if (requiresWalletLogin && !isWalletLogin(principal.user?.amr)) throw walletLoginRequired();
    return true;
  }
}

type CallerPrincipal = Extract<Principal, { kind: 'caller' }>;

/** 401, because an API key identifies no user (contract.md section 1). */
function checkUserPresent(requirement: CallerRequirement, { user }: CallerPrincipal): void {
  if (requirement === 'user' && !user) throw userRequired();
}

/**
 * Requires an API key where no scope limits what a user's token may do. Otherwise a token of few scopes could be exchanged
 * for one of more scopes.
 */
function checkClientCredential({ user }: CallerPrincipal, request: Request): void {
  if (!user || getApiKey(request) !== undefined) return;
  throw forbidden(
    'client_required',
    'This operation is for client applications: send an API key in X-API-Key.',
  );
}

const hasScope = (scope: Scope, { scopes }: CallerPrincipal): boolean =>
  scope === '$public' || scopes.includes(scope);

/** Explains why a caller lacks a scope, and what to do about it. */
export function describeMissingScope(scope: Scope, { client, token }: AuthenticatedCaller): string {
  if (token?.credentialExpiresAtMs !== undefined && !isEthereumCredentialScope(scope))
    return `An Ethereum credential never carries the scope ${scope}: send an access token.`;
  if (!token && isUserScope(scope))
    return `Only users can grant the scope ${scope}: send a user's token in Authorization.`;
  if (!client?.scopes.includes(scope) && !DEFAULT_SCOPES.includes(scope))
    return `The scope ${scope} is not approved for this client application, or its API key was made without it.`;
  return `This token was not granted the scope ${scope}: request the scope with the next token.`;
}
