import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { getMatchedOperation } from '../request-context.js';
import { ForwardService } from './forward/forward.service.js';
import { PIPELINE_GUARDS } from './pipeline.js';

/** The catch-all for every operation of the OpenAPI document. */
@ApiExcludeController()
@Controller()
@UseGuards(...PIPELINE_GUARDS)
export class ForwardController {
  constructor(private readonly forwarder: ForwardService) {}

  @All('*path')
  forward(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.forwarder.forward(getMatchedOperation(request), request, response);
  }
}
