import { All, Controller, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PAGES_OPERATION_ID } from '@app/auth';
import type { Request, Response } from 'express';
import type { Destination } from '../pipeline/forward/destination.js';
import { ForwardService } from '../pipeline/forward/forward.service.js';
import { PageErrorFilter } from './page-error.filter.js';
import { PageGuard } from './page.guard.js';

const IDENTITY: Destination = {
  id: PAGES_OPERATION_ID,
  upstream: 'identity',
  forwardedHeaders: ['cookie'],
  callerRequirement: 'none',
  maxWaitMs: 0,
};

/** Forwards pages to identity with the browser's cookies and an anonymous principal: identity checks the session. */
@ApiExcludeController()
@Controller()
@UseGuards(PageGuard)
@UseFilters(PageErrorFilter)
export class PageController {
  constructor(private readonly forwarder: ForwardService) {}

  @All(['login{/*path}', 'consent{/*path}', 'portal{/*path}', 'logout', 'wallet-links/*path', 'pages/*path'])
  forward(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.forwarder.forward(IDENTITY, request, response);
  }
}
