import { applyDecorators, SetMetadata } from '@nestjs/common';

export const PAGE_METADATA_KEY = 'gatehouse:page';

/** The operation id that principal tokens for pages carry: pages stand in no document, so they share one. */
export const PAGES_OPERATION_ID = 'pages';

/** Marks a controller of pages for people: the gateway forwards cookies to it, and nobody is named to it. */
export const Page = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(PAGE_METADATA_KEY, true));
