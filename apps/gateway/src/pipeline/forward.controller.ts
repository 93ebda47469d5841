import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AdmitGuard } from './admit/admit.guard.js';
import { AuthenticateGuard } from './authenticate/authenticate.guard.js';
import { AuthorizeGuard } from './authorize/authorize.guard.js';
import { getMatchedOperation } from '../request-context.js';
import { LimitGuard } from './limit/limit.guard.js';
import { MatchOperationGuard } from './match/match-operation.guard.js';
import { RequireOperationGuard } from './match/require-operation.guard.js';
import { ForwardService } from './forward/forward.service.js';

/**
 * Every request of the contract passes here, in this order. What is asked for is looked at after the limits: a path that
 * does not exist is no way around them.
 */
@ApiExcludeController()
@Controller()
@UseGuards(
  MatchOperationGuard,
  AdmitGuard,
  AuthenticateGuard,
  LimitGuard,
  RequireOperationGuard,
  AuthorizeGuard,
)
export class ForwardController {
  constructor(private readonly forwarder: ForwardService) {}

  @All('*path')
  forward(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.forwarder.forward(getMatchedOperation(request), request, response);
  }
}
