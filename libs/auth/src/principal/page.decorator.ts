import { applyDecorators, SetMetadata } from '@nestjs/common';

export const PAGE_METADATA_KEY = 'gatehouse:page';

/** The operation id in principal tokens for all pages, which the OpenAPI document does not have. */
export const PAGES_OPERATION_ID = 'pages';

/** Marks a controller of pages: the gateway forwards cookies to it, with an anonymous principal. */
export const Page = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(PAGE_METADATA_KEY, true));
