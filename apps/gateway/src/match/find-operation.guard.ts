import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { passOf } from '../gate-pass.js';
import { plainPath } from './check-target.js';
import { OperationTable } from './operation-table.js';

/**
 * Which operation of the contract is this? Found out first, because some read `Authorization` themselves. What is not
 * there is refused by the match step, after the limits.
 */
@Injectable()
export class FindOperationGuard implements CanActivate {
  constructor(private readonly table: OperationTable) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const path = plainPath(request.url);
    const operation = path === undefined ? undefined : this.table.find(request.method, path);
    passOf(request).operation = operation;
    request.operation = operation?.id;
    return true;
  }
}
