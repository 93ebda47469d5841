import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { parsePreferHeader } from './parse-prefer-header.js';

/**
 * Whether the request has `Prefer: handling=lenient`. `@Headers()` would add a parameter to the OpenAPI document and change
 * the signature of generated clients, which call operations by position.
 */
export const LenientHandling = createParamDecorator((_: unknown, context: ExecutionContext): boolean => {
  const { prefer } = context.switchToHttp().getRequest<Request>().headers;
  return prefer !== undefined && parsePreferHeader(prefer).get('handling') === 'lenient';
});
