import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ANONYMOUS, type Principal } from '@app/auth';
import type { ClientCredential } from '@app/dto';
import type { Request } from 'express';
import { passOf } from '../gate-pass.js';
import { ApiKeyStrategy } from './api-key.strategy.js';
import { noValidCredential } from './authenticate.errors.js';
import { apiKeyOf, authorizationOf } from './presented-credentials.js';
import { runStrategy } from './run-strategy.js';

/**
 * Who is asking? Every credential that is present must be valid: a bad one is not excused by a good one beside it.
 * Whether anyone is needed at all is the authorize step's question.
 */
@Injectable()
export class AuthenticateGuard implements CanActivate {
  private readonly principals = new WeakMap<ClientCredential, Principal>();

  constructor(private readonly apiKey: ApiKeyStrategy) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const pass = passOf(request);
    pass.principal = ANONYMOUS;
    // No scheme of `Authorization` is enforced yet, so none can be valid.
    if (authorizationOf(request) !== undefined) throw noValidCredential();
    if (apiKeyOf(request) !== undefined) {
      pass.client = await runStrategy<ClientCredential>(this.apiKey, request);
      if (!pass.client) throw noValidCredential();
      request.clientId = pass.client.clientId;
      pass.principal = this.principalOf(pass.client);
    }
    return true;
  }

  private principalOf(client: ClientCredential): Principal {
    let principal = this.principals.get(client);
    if (!principal) {
      const { clientId, ownerId, plan, scopes } = client;
      principal = { kind: 'caller', client: { id: clientId, ownerId, plan }, scopes };
      this.principals.set(client, principal);
    }
    return principal;
  }
}
