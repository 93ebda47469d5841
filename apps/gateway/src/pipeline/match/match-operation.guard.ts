import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { getRequestContext } from '../../request-context.js';
import { parseRequestTarget } from './check-request-target.js';
import { OperationRouter } from './operation-router.js';

/** Finds the operation of a request. RequireOperationGuard rejects unknown ones later, after the rate limits. */
@Injectable()
export class MatchOperationGuard implements CanActivate {
  constructor(private readonly router: OperationRouter) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const path = parseRequestTarget(request.url);
    const operation = path === undefined ? undefined : this.router.find(request.method, path);
    getRequestContext(request).operation = operation;
    request.operation = operation?.id;
    return true;
  }
}
