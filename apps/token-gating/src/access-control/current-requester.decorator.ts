import { ANONYMOUS_PRINCIPAL } from '@app/auth';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type Requester, toRequester } from '../subjects/requester.js';
import { clientRequired } from './current-client-id.decorator.js';

/** The user or client application of the request. The gateway requires one too. */
export const CurrentRequester = createParamDecorator((_: unknown, context: ExecutionContext): Requester => {
  const requester = toRequester(
    context.switchToHttp().getRequest<Request>().principal ?? ANONYMOUS_PRINCIPAL,
  );
  if (!requester) throw clientRequired();
  return requester;
});
