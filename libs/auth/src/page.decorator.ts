import { applyDecorators, SetMetadata } from '@nestjs/common';

export const PAGE = 'gatehouse:page';

/** The operation id that principal tokens for pages carry: pages stand in no document, so they share one. */
export const PAGES = 'pages';

/** Marks a controller of pages for people: the gateway forwards cookies to it, and nobody is named to it. */
export const Page = (): ClassDecorator & MethodDecorator => applyDecorators(SetMetadata(PAGE, true));
