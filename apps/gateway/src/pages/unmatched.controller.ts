import { All, Controller, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ForwardService } from '../pipeline/forward/forward.service.js';
import { Pipeline } from '../pipeline/pipeline.js';
import { PageErrorFilter, prefersPage } from './page-error.filter.js';
import { PageGuard, PAGES } from './page.controller.js';

const FRONT_DOOR_PATH = /^\/(?:\?|$)/;

/**
 * The catch-all for what has no operation in the OpenAPI document: the pipeline counts and refuses it. Browsers get a page instead of
 * the error envelope, and the front door at `/`.
 */
@ApiExcludeController()
@Controller()
@UseFilters(PageErrorFilter)
export class UnmatchedController {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly pages: PageGuard,
    private readonly forwarder: ForwardService,
  ) {}

  @All('{*path}')
  async answer(@Req() request: Request, @Res() response: Response): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !FRONT_DOOR_PATH.test(request.url) || !prefersPage(request)) {
      await this.pipeline.handle(request, response);
      return;
    }
    this.pages.admit(request, response);
    await this.forwarder.forward(PAGES, request, response);
  }
}
