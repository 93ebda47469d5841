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

/** Finds callers whose credentials are verified already, without a signature check or a request to identity. */
@Injectable()
export class CallerCache {
  constructor(
    private readonly apiKeys: ApiKeyService,
    private readonly tokens: VerifiedTokenCache,
    private readonly plans: ClientPlanService,
  ) {}

  /** Undefined when a credential still has to be verified. */
  get(request: Request): AuthenticatedCaller | undefined {
    const apiKey = getApiKey(request);
    const authorization = getAuthorization(request);
    if (authorization === undefined) {
      if (apiKey === undefined) return ANONYMOUS_CALLER;
      const client = this.apiKeys.getCached(apiKey);
      return client && toAuthenticatedCaller(client);
    }
    const token = this.tokens.get(authorization);
    if (!token || !hasSingleAuthorization(request)) return undefined;
    const client =
      apiKey === undefined ? this.plans.getCached(token.clientId) : this.apiKeys.getCached(apiKey);
    return client?.clientId === token.clientId ? toAuthenticatedCaller(client, token) : undefined;
  }

  /** Whether the request has only an API key, and identity has to be asked for it. */
  hasUnknownKey(request: Request): boolean {
    const apiKey = getApiKey(request);
    return apiKey !== undefined && getAuthorization(request) === undefined && this.apiKeys.isUnknown(apiKey);
  }

  /**
   * Whether a concurrent request already verifies these credentials, so that this one costs nothing. Always false for an
   * Ethereum credential: identity may have to call a node, so requests that join would stay in flight for seconds.
   */
  isVerificationInProgress(request: Request): boolean {
    const apiKey = getApiKey(request);
    const authorization = getAuthorization(request);
    const token = authorization === undefined ? undefined : this.tokens.get(authorization);
    const isKeyLoading = apiKey !== undefined && this.apiKeys.isLoading(apiKey);
    const isTokenVerifying =
      authorization !== undefined &&
      !isEthereumScheme(authorization) &&
      this.tokens.isVerifying(authorization);
    const isPlanLoading = apiKey === undefined && token !== undefined && this.plans.isLoading(token.clientId);
    const isKeyFree = isKeyLoading || apiKey === undefined || Boolean(this.apiKeys.getCached(apiKey));
    const isTokenFree = isTokenVerifying || authorization === undefined || token !== undefined;
    // If both are in the cache and no plan is loading, get() failed because they do not match: that is not free.
    return (isKeyLoading || isTokenVerifying || isPlanLoading) && isKeyFree && isTokenFree;
  }
}
