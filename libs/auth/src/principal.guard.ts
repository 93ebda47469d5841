import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { forbidden, unauthorized } from '@app/common';
import type { Request } from 'express';
import { INTERNAL } from './internal.decorator.js';
import type { Principal } from './principal.js';
import { PRINCIPAL_HEADER } from './principal-token.js';
import { PrincipalVerifier } from './principal-verifier.js';

declare module 'express-serve-static-core' {
  interface Request {
    principal?: Principal;
  }
}

/** Every request to a service carries a principal token, or it does not pass: there is no other way in. */
@Injectable()
export class PrincipalGuard implements CanActivate {
  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    if (typeof token !== 'string') throw noPrincipal();
    const known = this.verifier.known(token);
    if (known) return this.admit(known, request, context);
    return this.verifier.verify(token).then((principal) => {
      if (!principal) throw noPrincipal();
      return this.admit(principal, request, context);
    });
  }

  private admit(principal: Principal, request: Request, context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const isInternal = this.reflector.getAllAndOverride<true | undefined>(INTERNAL, targets) ?? false;
    if (isInternal !== (principal.kind === 'service'))
      throw forbidden('wrong_door', 'This operation is not for this caller.');
    request.principal = principal;
    return true;
  }
}

const noPrincipal = () => unauthorized('no_principal', 'This service is reached through the gateway.');
