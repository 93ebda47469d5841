import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { passOf } from '../gate-pass.js';
import { checkTarget } from './check-target.js';
import { OperationTable } from './operation-table.js';

/** Which operation of the contract is this? */
@Injectable()
export class MatchGuard implements CanActivate {
  constructor(private readonly table: OperationTable) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const operation = this.table.find(request.method, checkTarget(request.url));
    passOf(request).operation = operation;
    request.operation = operation.id;
    return true;
  }
}
