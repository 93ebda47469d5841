import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PRINCIPAL_HEADER, PrincipalVerifier } from '@app/auth';
import type { Request, Response } from 'express';
import { AddressLimit } from '../admit/address-limit.js';
import { noSuchPath } from '../match/match.errors.js';
import { FOR_SERVICE } from './for-service.decorator.js';

/**
 * The one way past the gateway's steps, for the service that a controller names with `@ForService`. To anybody else there is nothing
 * here, and a token that was not seen before costs its address what every unknown caller's request costs: a signature
 * check is not free.
 */
@Injectable()
export class AdmitServiceGuard implements CanActivate {
  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly addresses: AddressLimit,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const service = this.reflector.get<string | undefined>(FOR_SERVICE, context.getClass());
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    const known = typeof token === 'string' ? this.verifier.known(token) : undefined;
    if (!known) this.addresses.charge(request, http.getResponse<Response>());
    if (typeof token !== 'string') throw noSuchPath();
    const { principal } = known ?? (await this.verifier.verify(token)) ?? {};
    if (principal?.kind !== 'service' || principal.name !== service) throw noSuchPath();
    return true;
  }
}
