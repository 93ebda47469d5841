import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { getRequestContext } from '../../request-context.js';
import { checkRequestTarget } from './check-request-target.js';
import { OperationRouter } from './operation-router.js';

/** Rejects requests without an operation: 400 for an ambiguous path or two spellings of a header, 404 or 405. */
@Injectable()
export class RequireOperationGuard implements CanActivate {
  constructor(private readonly router: OperationRouter) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { operation, aliasConflict } = getRequestContext(request);
    if (aliasConflict) throw aliasConflict;
    if (operation) return true;
    throw this.router.createMismatchError(checkRequestTarget(request.url));
  }
}
