import { ANONYMOUS_PRINCIPAL } from '@app/auth';
import { forbidden } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type Requester, toRequester } from '../subjects/requester.js';

/** Who wants an account checked. The gateway lets nobody through who is neither a user nor an application. */
export const CurrentRequester = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const asker = toRequester(context.switchToHttp().getRequest<Request>().principal ?? ANONYMOUS_PRINCIPAL);
  if (!asker) throw forbidden('client_required', 'A client application is needed here.');
  return asker;
});
