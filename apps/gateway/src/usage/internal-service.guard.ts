import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PRINCIPAL_HEADER, PrincipalVerifier } from '@app/auth';
import type { Request, Response } from 'express';
import { AddressRateLimiter } from '../pipeline/admit/address-rate-limiter.js';
import { pathNotFound } from '../pipeline/match/match.errors.js';

export const ALLOWED_SERVICE_METADATA_KEY = 'gatehouse:for-service';

/** The one app of ours that a controller behind `AdmitServiceGuard` is for. */
export const AllowedService = (name: string): ClassDecorator =>
  SetMetadata(ALLOWED_SERVICE_METADATA_KEY, name);

/**
 * The one way past the gateway's steps, for the service that a controller names with `@ForService`. To anybody else there is nothing
 * here, and a token that was not seen before costs its address what every unknown caller's request costs: a signature
 * check is not free.
 */
@Injectable()
export class InternalServiceGuard implements CanActivate {
  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly addresses: AddressRateLimiter,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const service = this.reflector.get<string | undefined>(ALLOWED_SERVICE_METADATA_KEY, context.getClass());
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    const known = typeof token === 'string' ? this.verifier.getCached(token) : undefined;
    if (!known) this.addresses.consume(request, http.getResponse<Response>());
    if (typeof token !== 'string') throw pathNotFound();
    const { principal } = known ?? (await this.verifier.verify(token)) ?? {};
    if (principal?.kind !== 'service' || principal.name !== service) throw pathNotFound();
    return true;
  }
}
