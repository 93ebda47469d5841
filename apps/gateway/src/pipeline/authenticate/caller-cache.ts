import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { ClientPlanService } from '../../credentials/client-plan.service.js';
import { ApiKeyService } from '../../credentials/api-key.service.js';
import { VerifiedTokenCache } from '../../credentials/verified-token-cache.js';
import {
  hasSingleAuthorization,
  parseAuthorization,
  getApiKey,
  getAuthorization,
} from './credential-headers.js';
import {
  type AuthenticatedCaller,
  toAuthenticatedCaller,
  ANONYMOUS_CALLER,
} from '../../credentials/authenticated-caller.js';

const isEthereumScheme = (authorization: string): boolean =>
  parseAuthorization(authorization)?.scheme === 'ethereum';

/** Callers whose credentials were found good before: nothing is checked or asked for them again. */
@Injectable()
export class CallerCache {
  constructor(
    private readonly keys: ApiKeyService,
    private readonly tokens: VerifiedTokenCache,
    private readonly plans: ClientPlanService,
  ) {}

  /** Undefined when there is a credential that has to be looked at. */
  get(request: Request): AuthenticatedCaller | undefined {
    const apiKey = getApiKey(request);
    const authorization = getAuthorization(request);
    if (authorization === undefined) {
      if (apiKey === undefined) return ANONYMOUS_CALLER;
      const client = this.keys.getCached(apiKey);
      return client && toAuthenticatedCaller(client);
    }
    const token = this.tokens.get(authorization);
    if (!token || !hasSingleAuthorization(request)) return undefined;
    const client = apiKey === undefined ? this.plans.getCached(token.clientId) : this.keys.getCached(apiKey);
    return client?.clientId === token.clientId ? toAuthenticatedCaller(client, token) : undefined;
  }

  /**
   * Whether looking at this request's credentials costs nothing, because it is being done for another request. Not so for a
   * credential that identity may have to ask a node about: who joins holds a place for seconds.
   */
  isVerificationInProgress(request: Request): boolean {
    const apiKey = getApiKey(request);
    const authorization = getAuthorization(request);
    const isAsking = apiKey !== undefined && this.keys.isLoading(apiKey);
    const isChecking =
      authorization !== undefined &&
      !isEthereumScheme(authorization) &&
      this.tokens.isVerifying(authorization);
    const isKeyFree = isAsking || apiKey === undefined || Boolean(this.keys.getCached(apiKey));
    const isTokenFree = isChecking || authorization === undefined || Boolean(this.tokens.get(authorization));
    // When both are known and nobody was recalled, they do not fit together, or a plan has to be asked for.
    return (isAsking || isChecking) && isKeyFree && isTokenFree;
  }
}
