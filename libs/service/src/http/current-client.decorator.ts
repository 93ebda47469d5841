import type { Principal } from '@app/auth';
import { forbidden } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

export const clientRequired = () => forbidden('client_required', 'A client application is needed here.');

export type RequestingClient = NonNullable<Extract<Principal, { kind: 'caller' }>['client']>;

export function getRequestingClient(context: ExecutionContext): RequestingClient {
  const { principal } = context.switchToHttp().getRequest<Request>();
  const client = principal?.kind === 'caller' ? principal.client : undefined;
  if (!client) throw clientRequired();
  return client;
}

/** The client application of the request. The gateway requires one too; this check is a second line of defence. */
export const CurrentClient = createParamDecorator((_: unknown, context: ExecutionContext) =>
  getRequestingClient(context),
);
