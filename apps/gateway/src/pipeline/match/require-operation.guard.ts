import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { getRequestContext } from '../../request-context.js';
import { checkRequestTarget } from './check-request-target.js';
import { OperationRouter } from './operation-router.js';

/** Is there such an operation at all? */
@Injectable()
export class RequireOperationGuard implements CanActivate {
  constructor(private readonly table: OperationRouter) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (getRequestContext(request).operation) return true;
    throw this.table.createMismatchError(checkRequestTarget(request.url));
  }
}
