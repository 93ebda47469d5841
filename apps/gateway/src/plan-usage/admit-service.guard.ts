import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { PRINCIPAL_HEADER, PrincipalVerifier } from '@app/auth';
import type { Request, Response } from 'express';
import { AddressLimit } from '../admit/address-limit.js';
import { noSuchPath } from '../match/match.errors.js';

/**
 * The one way past the gateway's steps, for services of ours. To anybody else there is nothing here, and a token that
 * was not seen before costs its address what every unknown caller's request costs: a signature check is not free.
 */
@Injectable()
export class AdmitServiceGuard implements CanActivate {
  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly addresses: AddressLimit,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    const isKnown = typeof token === 'string' && this.verifier.known(token) !== undefined;
    if (!isKnown) this.addresses.charge(request, http.getResponse<Response>());
    if (typeof token !== 'string') throw noSuchPath();
    return true;
  }
}
