import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ClientPlans } from '../credentials/client-plans.js';
import { CredentialStore } from '../credentials/credential-store.js';
import { VerifiedTokens } from '../credentials/verified-tokens.js';
import { hasOneAuthorization, parseAuthorization } from './authorization.js';
import { type Caller, callerOf, NOBODY } from './caller.js';
import { apiKeyOf, authorizationOf } from './presented-credentials.js';

const isEthereum = (authorization: string): boolean =>
  parseAuthorization(authorization)?.scheme === 'ethereum';

/** Callers whose credentials were found good before: nothing is checked or asked for them again. */
@Injectable()
export class KnownCallers {
  constructor(
    private readonly keys: CredentialStore,
    private readonly tokens: VerifiedTokens,
    private readonly plans: ClientPlans,
  ) {}

  /** Undefined when there is a credential that has to be looked at. */
  recall(request: Request): Caller | undefined {
    const apiKey = apiKeyOf(request);
    const authorization = authorizationOf(request);
    if (authorization === undefined) {
      if (apiKey === undefined) return NOBODY;
      const client = this.keys.recall(apiKey);
      return client && callerOf(client);
    }
    const token = this.tokens.recall(authorization);
    if (!token || !hasOneAuthorization(request)) return undefined;
    const client = apiKey === undefined ? this.plans.recall(token.clientId) : this.keys.recall(apiKey);
    return client?.clientId === token.clientId ? callerOf(client, token) : undefined;
  }

  /**
   * Whether looking at this request's credentials costs nothing, because it is being done for another request. Not so for a
   * credential that identity may have to ask a node about: who joins holds a place for seconds.
   */
  isUnderWay(request: Request): boolean {
    const apiKey = apiKeyOf(request);
    const authorization = authorizationOf(request);
    const isAsking = apiKey !== undefined && this.keys.isAsking(apiKey);
    const isChecking =
      authorization !== undefined && !isEthereum(authorization) && this.tokens.isChecking(authorization);
    const isKeyFree = isAsking || apiKey === undefined || Boolean(this.keys.recall(apiKey));
    const isTokenFree =
      isChecking || authorization === undefined || Boolean(this.tokens.recall(authorization));
    // When both are known and nobody was recalled, they do not fit together, or a plan has to be asked for.
    return (isAsking || isChecking) && isKeyFree && isTokenFree;
  }
}
