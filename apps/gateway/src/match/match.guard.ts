import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { badRequest } from '@app/common';
import type { Request } from 'express';
import { passOf } from '../gate-pass.js';
import { checkTarget } from './check-target.js';
import { OperationTable } from './operation-table.js';

/** Step 1: which operation of the contract is this? */
@Injectable()
export class MatchGuard implements CanActivate {
  constructor(private readonly table: OperationTable) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    checkOneHost(request.rawHeaders);
    const operation = this.table.find(request.method, checkTarget(request.url));
    passOf(request).operation = operation;
    request.operation = operation.id;
    return true;
  }
}

/** node takes the first of two Host headers in silence; whoever stands in front of us may have taken the second. */
function checkOneHost(rawHeaders: readonly string[]): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw badRequest('two_hosts', 'A request has one Host header (RFC 9112 section 3.2).');
}
