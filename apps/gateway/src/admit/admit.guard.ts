import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { serviceUnavailable } from '@app/common';
import type { Request, Response } from 'express';
import { apiKeyOf, authorizationOf } from '../authenticate/presented-credentials.js';
import { CredentialStore } from '../credentials/credential-store.js';
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
    private readonly credentials: CredentialStore,
    private readonly addresses: AddressLimit,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    if (!this.load.accept(response)) {
      throw serviceUnavailable('overloaded', 'The service is overloaded. Try again in a moment.', {
        retryAfter: 1,
      });
    }
    const request = http.getRequest<Request>();
    const isKnown =
      authorizationOf(request) === undefined && this.credentials.isAuthenticated(apiKeyOf(request));
    if (!isKnown) this.addresses.charge(request, response);
    return true;
  }
}
