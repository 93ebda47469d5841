import { forbidden } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

export const clientRequired = () => forbidden('client_required', 'A client application is needed here.');

/** The client application of the request. The gateway requires one too; this check is a second line of defence. */
export const CurrentClientId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { principal } = context.switchToHttp().getRequest<Request>();
  const clientId = principal?.kind === 'caller' ? principal.client?.id : undefined;
  if (clientId === undefined) throw clientRequired();
  return clientId;
});
