import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { idempotencyKeyInvalid } from '../checks/async/async-check.errors.js';

const FORM = /^[\x21-\x7e]{1,255}$/;

/**
 * The caller's `Idempotency-Key`. A decorator of our own, because `@Headers()` would declare a parameter and clients of
 * the interface call operations by position.
 */
export const IdempotencyKey = createParamDecorator(
  (_: unknown, context: ExecutionContext): string | undefined => {
    const key = context.switchToHttp().getRequest<Request>().headers['idempotency-key'];
    if (key === undefined) return undefined;
    if (typeof key !== 'string' || !FORM.test(key)) throw idempotencyKeyInvalid();
    return key;
  },
);
