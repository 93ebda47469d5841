import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AdmitGuard } from '../admit/admit.guard.js';
import { AuthenticateGuard } from '../authenticate/authenticate.guard.js';
import { AuthorizeGuard } from '../authorize/authorize.guard.js';
import { matchedOperation } from '../gate-pass.js';
import { LimitGuard } from '../limit/limit.guard.js';
import { FindOperationGuard } from '../match/find-operation.guard.js';
import { MatchGuard } from '../match/match.guard.js';
import { Forwarder } from './forwarder.js';

/**
 * Every request of the contract passes here, in this order. What is asked for is looked at after the limits: a path that
 * does not exist is no way around them.
 */
@ApiExcludeController()
@Controller()
@UseGuards(FindOperationGuard, AdmitGuard, AuthenticateGuard, LimitGuard, MatchGuard, AuthorizeGuard)
export class ForwardController {
  constructor(private readonly forwarder: Forwarder) {}

  @All('*path')
  forward(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.forwarder.forward(matchedOperation(request), request, response);
  }
}
