import { Injectable } from '@nestjs/common';
import type { ClientCredential, ClientPlan } from '@app/dto';
import type { Request } from 'express';
import { ClientPlanService } from '../../credentials/client-plan.service.js';
import type { VerifiedToken } from '../../credentials/verified-token-cache.js';
import { getRequestContext } from '../../request-context.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { credentialInvalid } from '../../credentials/credentials.errors.js';
import {
  type AuthenticatedCaller,
  toAuthenticatedCaller,
  ANONYMOUS_CALLER,
} from '../../credentials/authenticated-caller.js';
import { getApiKey, getAuthorization } from './credential-headers.js';
import { runStrategy } from './strategies.js';
import { TokenVerificationService } from './token-verification.service.js';
import { PipelineGuard } from '../pipeline-guard.js';

/**
 * Authenticates the caller. Every credential that is present must be valid, also beside a valid one. Anonymous callers
 * pass; the authorize step decides whether the operation requires a caller.
 */
@Injectable()
export class AuthenticateGuard extends PipelineGuard {
  constructor(
    private readonly apiKey: ApiKeyStrategy,
    private readonly tokens: TokenVerificationService,
    private readonly plans: ClientPlanService,
  ) {
    super();
  }

  check(request: Request): true | Promise<true> {
    const { caller } = getRequestContext(request);
    if (!caller)
      return this.authenticate(request).then((verified) => {
        getRequestContext(request).giveBackToAddress?.();
        return setCaller(verified, request);
      });
    return setCaller(caller, request);
  }

  private async authenticate(request: Request): Promise<AuthenticatedCaller> {
    const [client, token] = await Promise.all([this.loadClient(request), this.verifyToken(request)]);
    if (!token) return client ? toAuthenticatedCaller(client) : ANONYMOUS_CALLER;
    const issuedTo = client ?? (await this.plans.findPlans([token.clientId])).get(token.clientId);
    // Rejects tokens of a deleted client application, and a token beside the API key of another one.
    if (issuedTo?.clientId !== token.clientId) throw credentialInvalid();
    return toAuthenticatedCaller(issuedTo, token);
  }

  private async loadClient(request: Request): Promise<ClientPlan | undefined> {
    if (getApiKey(request) === undefined) return undefined;
    const client = await runStrategy<ClientCredential>(this.apiKey, request);
    if (!client) throw credentialInvalid();
    return client;
  }

  private async verifyToken(request: Request): Promise<VerifiedToken | undefined> {
    if (getAuthorization(request) === undefined) return undefined;
    const token = await this.tokens.verify(request);
    if (!token) throw credentialInvalid();
    return token;
  }
}

function setCaller(caller: AuthenticatedCaller, request: Request): true {
  getRequestContext(request).caller = caller;
  request.clientId = caller.client?.clientId;
  return true;
}
