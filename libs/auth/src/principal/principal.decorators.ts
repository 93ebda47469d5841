import { createParamDecorator, type ExecutionContext, applyDecorators, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import { ANONYMOUS_PRINCIPAL, type Principal } from './principal.js';

/** `@CurrentPrincipal() principal: Principal`: the authenticated identity of the request. */
export const CurrentPrincipal = createParamDecorator(
  (_: unknown, context: ExecutionContext): Principal =>
    context.switchToHttp().getRequest<Request>().principal ?? ANONYMOUS_PRINCIPAL,
);

export const INTERNAL_METADATA_KEY = 'gatehouse:internal';

/** Marks a controller for calls of internal services. Its paths start with `/internal/`. */
export const Internal = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(INTERNAL_METADATA_KEY, true));

export const PAGE_METADATA_KEY = 'gatehouse:page';

/** The operation id in principal tokens for all pages, which the OpenAPI document does not have. */
export const PAGES_OPERATION_ID = 'pages';

/** Marks a controller of pages: the gateway forwards cookies to it, with an anonymous principal. */
export const Page = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(PAGE_METADATA_KEY, true));
