import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { parsePreferHeader } from './parse-prefer-header.js';

/**
 * Whether the caller prefers `handling=lenient`. A decorator of our own, because `@Headers()` would declare a parameter
 * and clients of the interface call operations by position.
 */
export const LenientHandling = createParamDecorator((_: unknown, context: ExecutionContext): boolean => {
  const { prefer } = context.switchToHttp().getRequest<Request>().headers;
  return prefer !== undefined && parsePreferHeader(prefer).get('handling') === 'lenient';
});
