import { getHeader } from './get-header.js';
import { type Principal, allowOnlyServices, Internal, type ServiceName } from '@app/auth';
import { forbidden, badRequest } from '@app/common';
import {
  createParamDecorator,
  type ExecutionContext,
  applyDecorators,
  SetMetadata,
  Controller,
  UseGuards,
} from '@nestjs/common';
import type { Request } from 'express';
import { ApiConsumes, ApiExcludeController } from '@nestjs/swagger';

export const clientRequired = () => forbidden('client_required', 'A client application is needed here.');

export type RequestingClient = NonNullable<Extract<Principal, { kind: 'caller' }>['client']>;

export function getRequestingClient({ principal }: Pick<Request, 'principal'>): RequestingClient {
  const client = principal?.kind === 'caller' ? principal.client : undefined;
  if (!client) throw clientRequired();
  return client;
}

/** The client application of the request. The gateway requires one too; this check is a second line of defence. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  getRequestingClient(context.switchToHttp().getRequest<Request>()),
);

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

const idempotencyKeyInvalid = () =>
  badRequest('input_invalid', 'Idempotency-Key: must be 1 to 255 visible ASCII characters', {
    issues: [{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
  });

export function getIdempotencyKey(request: Request): string | undefined {
  const key = getHeader(request, 'idempotency-key');
  if (key === undefined) return undefined;
  if (!KEY_PATTERN.test(key)) throw idempotencyKeyInvalid();
  return key;
}

/** The `Idempotency-Key` header. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) =>
  getIdempotencyKey(context.switchToHttp().getRequest<Request>()),
);

export const FORM_BODY = 'gatehouse:form-body';

/** `fields`: the body becomes an object, and repeated fields are refused; `table`: likewise, with more fields; `text`: the handler parses it itself. */
export type FormBodyKind = 'fields' | 'table' | 'text';

/** Makes the body a form instead of JSON, as OAuth 2.0 endpoints require (RFC 6749 appendix B). */
export const FormBody = (kind: FormBodyKind = 'fields'): MethodDecorator =>
  applyDecorators(SetMetadata(FORM_BODY, kind), ApiConsumes('application/x-www-form-urlencoded'));

/** A controller for these internal services only. @param path begins with `internal/` */
export const InternalController = (path: string, ...services: readonly ServiceName[]): ClassDecorator =>
  applyDecorators(
    Internal(),
    ApiExcludeController(),
    UseGuards(allowOnlyServices(...services)),
    Controller(path),
  );
