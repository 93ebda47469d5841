import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { PRINCIPAL_HEADER, PrincipalVerifier, type ServiceName } from '@app/auth';
import type { Request, Response } from 'express';
import { AddressRateLimiter } from '../pipeline/admit/address-rate-limiter.js';
import { pathNotFound } from '../pipeline/match/match.errors.js';

const ALLOWED_SERVICE_METADATA_KEY = 'gatehouse:allowed-service';

/** Names the one internal service that may call a controller behind InternalServiceGuard. */
export const AllowedService = (name: ServiceName): ClassDecorator =>
  SetMetadata(ALLOWED_SERVICE_METADATA_KEY, name);

/**
 * Admits the service of `@AllowedService` instead of the pipeline's steps; everyone else gets 404. A request whose
 * principal token is not cached counts towards its IP address, because the signature check is expensive.
 */
@Injectable()
export class InternalServiceGuard implements CanActivate {
  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly addresses: AddressRateLimiter,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const service = this.reflector.get<ServiceName | undefined>(
      ALLOWED_SERVICE_METADATA_KEY,
      context.getClass(),
    );
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    const cached = typeof token === 'string' ? this.verifier.getCached(token) : undefined;
    if (!cached) this.addresses.consume(request, http.getResponse<Response>());
    if (typeof token !== 'string') throw pathNotFound();
    const { principal } = cached ?? (await this.verifier.verify(token)) ?? {};
    if (principal?.kind !== 'service' || principal.name !== service) throw pathNotFound();
    return true;
  }
}
