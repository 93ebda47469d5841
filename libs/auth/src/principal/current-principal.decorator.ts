import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ANONYMOUS_PRINCIPAL, type Principal } from './principal.js';

/** `@CurrentPrincipal() principal: Principal`: the authenticated identity of the request. */
export const CurrentPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext): Principal =>
    context.switchToHttp().getRequest<Request>().principal ?? ANONYMOUS_PRINCIPAL,
);
