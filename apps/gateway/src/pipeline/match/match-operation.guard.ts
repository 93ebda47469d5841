import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { getRequestContext } from '../../request-context.js';
import { parseRequestTarget } from './check-request-target.js';
import { OperationRouter } from './operation-router.js';

/**
 * Which operation of the contract is this? Found out first, because some read `Authorization` themselves. What is not
 * there is refused by the match step, after the limits.
 */
@Injectable()
export class MatchOperationGuard implements CanActivate {
  constructor(private readonly table: OperationRouter) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const path = parseRequestTarget(request.url);
    const operation = path === undefined ? undefined : this.table.find(request.method, path);
    getRequestContext(request).operation = operation;
    request.operation = operation?.id;
    return true;
  }
}
