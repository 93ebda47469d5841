import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { StoredRequest } from './async/async-check.js';

/**
 * The request as the caller wrote it: what is kept is JSON, and read again by the schema of the day. Beside a validated
 * `@Body()` only, which refuses everything of another form before a handler sees it.
 */
export const UnvalidatedBody = createParamDecorator(
  (_: unknown, context: ExecutionContext): StoredRequest =>
    context.switchToHttp().getRequest<Request>().body as StoredRequest,
);
