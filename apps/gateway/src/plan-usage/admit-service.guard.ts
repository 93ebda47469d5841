import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { PRINCIPAL_HEADER, PrincipalVerifier } from '@app/auth';
import type { Request, Response } from 'express';
import { AddressLimit } from '../admit/address-limit.js';
import { noSuchPath } from '../match/match.errors.js';

/** The app that has its requests counted here. */
const COUNTS_HERE = 'token-gating';

/**
 * The one way past the gateway's steps, for the service that takes checks from a queue. To anybody else there is nothing
 * here, and a token that was not seen before costs its address what every unknown caller's request costs: a signature
 * check is not free.
 */
@Injectable()
export class AdmitServiceGuard implements CanActivate {
  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly addresses: AddressLimit,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    const known = typeof token === 'string' ? this.verifier.known(token) : undefined;
    if (!known) this.addresses.charge(request, http.getResponse<Response>());
    if (typeof token !== 'string') throw noSuchPath();
    const { principal } = known ?? (await this.verifier.verify(token)) ?? {};
    if (principal?.kind !== 'service' || principal.name !== COUNTS_HERE) throw noSuchPath();
    return true;
  }
}
