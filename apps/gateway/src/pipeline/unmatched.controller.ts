import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Pipeline } from './pipeline.js';

/** The catch-all for what has no operation in the OpenAPI document: the pipeline counts and refuses it. */
@ApiExcludeController()
@Controller()
export class UnmatchedController {
  constructor(private readonly pipeline: Pipeline) {}

  @All('*path')
  refuse(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.pipeline.handle(request, response);
  }
}
