import { type Principal } from '@app/auth';
import { forbidden } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** The client application that a request speaks for. The gateway lets nobody else through; this is for the day it errs. */
export const CurrentClientId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const clientId = clientOf(context.switchToHttp().getRequest<Request>().principal);
  if (clientId === undefined) throw forbidden('client_required', 'A client application is needed here.');
  return clientId;
});

const clientOf = (principal: Principal | undefined): string | undefined =>
  principal?.kind === 'caller' ? principal.client?.id : undefined;
