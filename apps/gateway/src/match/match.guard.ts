import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { passOf } from '../gate-pass.js';
import { checkTarget } from './check-target.js';
import { OperationTable } from './operation-table.js';

/** Is there such an operation at all? */
@Injectable()
export class MatchGuard implements CanActivate {
  constructor(private readonly table: OperationTable) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    if (passOf(request).operation) return true;
    throw this.table.refusal(checkTarget(request.url));
  }
}
