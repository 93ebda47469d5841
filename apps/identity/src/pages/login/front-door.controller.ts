import { notFound } from '@app/common';
import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSession, type PageSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';

/** The start page, which the gateway shows to browsers only. */
@PageController('')
export class FrontDoorController {
  constructor(private readonly pages: PageRenderer) {}

  @Get()
  show(@CurrentSession() session: PageSession, @Res() response: Response): void {
    this.pages.send(
      response,
      'front-door',
      {},
      { title: 'Roles for what people hold', session, isIntroduction: true },
    );
  }
}

const pageNotFound = () => notFound('path_not_found', 'There is no page at this address.');

/** Unknown addresses below the paths of pages, which are pages, too. Its routes match whatever the other controllers leave. */
@PageController(['login', 'consent', 'portal', 'logout', 'wallet-links'])
export class UnknownPageController {
  @Get('{*path}')
  refuse(): never {
    throw pageNotFound();
  }
}
