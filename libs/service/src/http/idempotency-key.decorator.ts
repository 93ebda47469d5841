import { badRequest } from '@app/common';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { getHeader } from './get-header.js';

const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;

const idempotencyKeyInvalid = () =>
  badRequest('input_invalid', 'Idempotency-Key: must be 1 to 255 visible ASCII characters', {
    issues: [{ path: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' }],
  });

/** The `Idempotency-Key` header. */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | undefined => {
    const key = getHeader(context.switchToHttp().getRequest<Request>(), 'idempotency-key');
    if (key === undefined) return undefined;
    if (!KEY_PATTERN.test(key)) throw idempotencyKeyInvalid();
    return key;
  },
);
