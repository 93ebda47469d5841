import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { GATEWAY } from '@app/auth';
import { forbidden } from '@app/common';
import type { Request } from 'express';

/** Among our own apps only the gateway passes. */
@Injectable()
export class GatewayOnlyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { principal } = context.switchToHttp().getRequest<Request>();
    if (principal?.kind === 'service' && principal.name === GATEWAY) return true;
    throw forbidden('not_the_gateway', 'This operation is for the gateway.');
  }
}
