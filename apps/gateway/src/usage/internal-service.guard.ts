import {
  applyDecorators,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
  UsePipes,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import { Internal, PRINCIPAL_HEADER, PrincipalGuard, PrincipalVerifier, type ServiceName } from '@app/auth';
import { BodyParserGuard, createValidationPipe } from '@app/service';
import type { Request, Response } from 'express';
import { AddressRateLimiter } from '../pipeline/admit/address-rate-limiter.js';
import { pathNotFound } from '../pipeline/match/match.errors.js';

const ALLOWED_SERVICES_METADATA_KEY = 'gatehouse:allowed-services';

/**
 * Admits the services of `@InternalServiceController` instead of the pipeline's steps; everyone else gets 404. A request whose
 * principal token is not cached counts towards its IP address, because the signature check is expensive.
 */
@Injectable()
class InternalServiceGuard implements CanActivate {
  constructor(
    private readonly verifier: PrincipalVerifier,
    private readonly addresses: AddressRateLimiter,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const allowed = this.reflector.get<readonly string[]>(ALLOWED_SERVICES_METADATA_KEY, context.getClass());
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const token = request.headers[PRINCIPAL_HEADER];
    const cached = typeof token === 'string' ? this.verifier.getCached(token) : undefined;
    if (!cached) this.addresses.consume(request, http.getResponse<Response>());
    if (typeof token !== 'string') throw pathNotFound();
    const { principal } = cached ?? (await this.verifier.verify(token)) ?? {};
    if (principal?.kind !== 'service' || !allowed.includes(principal.name)) throw pathNotFound();
    return true;
  }
}

/** A controller for internal services, outside the pipeline. */
export const InternalServiceController = (path: string, ...services: ServiceName[]): ClassDecorator =>
  applyDecorators(
    Internal(),
    ApiExcludeController(),
    SetMetadata(ALLOWED_SERVICES_METADATA_KEY, services),
    UseGuards(InternalServiceGuard, PrincipalGuard, BodyParserGuard),
    UsePipes(createValidationPipe()),
    Controller(path),
  );
