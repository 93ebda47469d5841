import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { forbidden, unauthorized } from '@app/common';
import type { Request } from 'express';
import { INTERNAL_METADATA_KEY, PAGE_METADATA_KEY, PAGES_OPERATION_ID } from './principal.decorators.js';
import {
  isWalletLogin,
  WALLET_LOGIN_METADATA_KEY,
  walletLoginRequired,
  type Principal,
  PRINCIPAL_HEADER,
} from './principal.js';
import { PrincipalVerifier, type VerifiedPrincipal } from './principal-verifier.js';

declare module 'express-serve-static-core' {
  interface Request {
    principal?: Principal;
    clientId?: string;
  }
}

/** Requires a valid principal token for this operation on every request to a service. */
@Injectable()
export class PrincipalGuard implements CanActivate {
  private readonly policies = new WeakMap<object, HandlerPolicy>();

  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    if (typeof token !== 'string') throw principalRequired();
    const cached = this.verifier.getCached(token);
    if (cached) return this.admit(cached, request, context);
    return this.verifier.verify(token).then((verified) => {
      if (!verified) throw principalRequired();
      return this.admit(verified, request, context);
    });
  }

  private admit(
    { principal, operation }: VerifiedPrincipal,
    request: Request,
    context: ExecutionContext,
  ): boolean {
    const policy = this.getPolicy(context);
    if (policy.isInternal !== (principal.kind === 'service')) throw operationMismatch();
    if (!policy.isInternal && operation !== policy.operation) throw operationMismatch();
    request.principal = principal;
    if (principal.kind === 'publishable') request.clientId = principal.client.id;
    if (principal.kind !== 'caller') return true;
    request.clientId = principal.client?.id;
    if (policy.requiresWalletLogin && !isWalletLogin(principal.user?.amr)) throw walletLoginRequired();
    return true;
  }

  private getPolicy(context: ExecutionContext): HandlerPolicy {
    const handler = context.getHandler();
    let policy = this.policies.get(handler);
    if (!policy) {
      const controller = context.getClass();
      const isMarked = (mark: string): boolean =>
        this.reflector.getAllAndOverride<true | undefined>(mark, [handler, controller]) ?? false;
      const operation = isMarked(PAGE_METADATA_KEY)
        ? PAGES_OPERATION_ID
        : `${controller.name}.${handler.name}`;
      const requiresWalletLogin = isMarked(WALLET_LOGIN_METADATA_KEY);
      policy = { isInternal: isMarked(INTERNAL_METADATA_KEY), operation, requiresWalletLogin };
      this.policies.set(handler, policy);
    }
    return policy;
  }
}

interface HandlerPolicy {
  isInternal: boolean;
  requiresWalletLogin: boolean;
  /**
   * The operation id of the OpenAPI document. Comparing it with the token ensures that the service runs what the gateway
   * authorized, even if both should parse a path differently.
   */
  operation: string;
}

const principalRequired = () =>
  unauthorized('principal_required', 'A principal token of the gateway is required.');

const operationMismatch = () =>
  forbidden('operation_mismatch', 'The principal token is not valid for this operation.');

/** An internal service: the key id of its signing key. */
export type ServiceName = 'gateway' | 'identity' | 'token-gating' | 'account-kit' | 'analytics';

/** For `@UseGuards`: admits only these internal services. */
export function allowOnlyServices(...services: readonly ServiceName[]): CanActivate {
  return {
    canActivate(context: ExecutionContext): boolean {
      const { principal } = context.switchToHttp().getRequest<Request>();
      if (principal?.kind === 'service' && services.some((name) => name === principal.name)) return true;
      throw forbidden('service_forbidden', `This operation is for ${services.join(' and ')}.`);
    },
  };
}
