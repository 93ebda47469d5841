import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { forbidden, unauthorized } from '@app/common';
import type { Request } from 'express';
import { INTERNAL_METADATA_KEY } from './internal.decorator.js';
import { PAGE_METADATA_KEY, PAGES_OPERATION_ID } from './page.decorator.js';
import type { Principal } from './principal.js';
import { PRINCIPAL_HEADER } from './principal-token.js';
import { PrincipalVerifier, type VerifiedPrincipal } from './principal-verifier.js';

declare module 'express-serve-static-core' {
  interface Request {
    principal?: Principal;
    clientId?: string;
  }
}

/** Every request to a service carries a principal token, or it does not pass: there is no other way in. */
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
    const known = this.verifier.getCached(token);
    if (known) return this.admit(known, request, context);
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
    const door = this.getPolicy(context);
    if (door.isInternal !== (principal.kind === 'service')) throw operationMismatch();
    if (!door.isInternal && operation !== door.operation) throw operationMismatch();
    request.principal = principal;
    if (principal.kind === 'caller') request.clientId = principal.client?.id;
    return true;
  }

  /** Found out once per handler. */
  private getPolicy(context: ExecutionContext): HandlerPolicy {
    const handler = context.getHandler();
    let door = this.policies.get(handler);
    if (!door) {
      const owner = context.getClass();
      const isMarked = (mark: string): boolean =>
        this.reflector.getAllAndOverride<true | undefined>(mark, [handler, owner]) ?? false;
      const operation = isMarked(PAGE_METADATA_KEY) ? PAGES_OPERATION_ID : `${owner.name}.${handler.name}`;
      door = { isInternal: isMarked(INTERNAL_METADATA_KEY), operation };
      this.policies.set(handler, door);
    }
    return door;
  }
}

interface HandlerPolicy {
  isInternal: boolean;
  /**
   * Its id, as the document has it. What the gateway authorized is what runs here, even if the two should ever read a
   * path differently.
   */
  operation: string;
}

const principalRequired = () =>
  unauthorized('principal_required', 'This service is reached through the gateway.');

const operationMismatch = () => forbidden('operation_mismatch', 'This operation is not for this caller.');
