import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ANONYMOUS, type Principal } from './principal.js';

/** `@Caller() principal: Principal`: who this request speaks for. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Principal =>
    context.switchToHttp().getRequest<Request>().principal ?? ANONYMOUS,
);
