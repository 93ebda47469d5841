import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NOBODY } from '../authenticate/caller.js';
import { KnownCallers } from '../authenticate/known-callers.js';
import { passOf } from '../gate-pass.js';
import { AddressLimit } from './address-limit.js';
import { LoadMonitor } from './load-monitor.js';

/**
 * May this request cost us anything at all? Before any signature check or question to a node: no more than the process
 * can bear, and no more than an address may ask for while we do not know who is asking.
 */
@Injectable()
export class AdmitGuard implements CanActivate {
  constructor(
    private readonly load: LoadMonitor,
    private readonly callers: KnownCallers,
    private readonly addresses: AddressLimit,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    this.load.admit(response);
    const request = http.getRequest<Request>();
    const caller = this.callers.recall(request);
    const isFree = caller ? caller !== NOBODY : this.callers.isUnderWay(request);
    if (!isFree) this.addresses.charge(request, response);
    passOf(request).caller = caller;
    return true;
  }
}
