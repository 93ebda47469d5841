import { ANONYMOUS } from '@app/auth';
import { unauthorized } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type Asker, askerOf } from '../check-roles/asker.js';

/** Who wants an account checked. The gateway lets nobody through who is neither a user nor an application. */
export const AskedBy = createParamDecorator((_: unknown, context: ExecutionContext): Asker => {
  const asker = askerOf(context.switchToHttp().getRequest<Request>().principal ?? ANONYMOUS);
  if (!asker) throw unauthorized('client_needed', 'A client application is needed here.');
  return asker;
});
