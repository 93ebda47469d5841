import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { ClientCredential, ClientPlan } from '@app/dto';
import type { Request } from 'express';
import { ClientPlans } from '../credentials/client-plans.js';
import type { VerifiedToken } from '../credentials/verified-tokens.js';
import { passOf } from '../gate-pass.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { noValidCredential } from './authenticate.errors.js';
import { type Caller, callerOf, NOBODY } from './caller.js';
import { apiKeyOf, authorizationOf } from './presented-credentials.js';
import { runStrategy } from './run-strategy.js';
import { TokenVerification } from './token-verification.js';

/**
 * Who is asking? Every credential that is present must be valid: a bad one is not excused by a good one beside it.
 * Whether anyone is needed at all is the authorize step's question.
 */
@Injectable()
export class AuthenticateGuard implements CanActivate {
  constructor(
    private readonly apiKey: ApiKeyStrategy,
    private readonly tokens: TokenVerification,
    private readonly plans: ClientPlans,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { caller } = passOf(request);
    if (!caller) return this.identify(request).then((found) => name(found, request));
    return name(caller, request);
  }

  private async identify(request: Request): Promise<Caller> {
    const [client, token] = await Promise.all([this.clientOf(request), this.tokenOf(request)]);
    if (!token) return client ? callerOf(client) : NOBODY;
    const owner = client ?? (await this.plans.find([token.clientId])).get(token.clientId);
    // A deleted client application's tokens are dead, and nobody's token lends rights to another's key.
    if (owner?.clientId !== token.clientId) throw noValidCredential();
    return callerOf(owner, token);
  }

  private async clientOf(request: Request): Promise<ClientPlan | undefined> {
    if (apiKeyOf(request) === undefined) return undefined;
    const client = await runStrategy<ClientCredential>(this.apiKey, request);
    if (!client) throw noValidCredential();
    return client;
  }

  private async tokenOf(request: Request): Promise<VerifiedToken | undefined> {
    if (authorizationOf(request) === undefined) return undefined;
    const token = await this.tokens.verify(request);
    if (!token) throw noValidCredential();
    return token;
  }
}

function name(caller: Caller, request: Request): true {
  passOf(request).caller = caller;
  request.clientId = caller.client?.clientId;
  return true;
}
