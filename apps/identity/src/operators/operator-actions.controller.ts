import {
  type OperatorActionRequest,
  operatorActionRequest,
  type OperatorActionResponse,
  operatorActionResponse,
} from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { OperatorActionsService } from './operator-actions.service.js';

/** Whether a user is an operator who may act at another app, and the audit of it. */
@InternalController('internal/operator-actions', 'account-kit')
export class OperatorActionsController {
  constructor(private readonly actions: OperatorActionsService) {}

  @Post()
  @Returns(operatorActionResponse)
  record(
    @Body({ schema: operatorActionRequest }) request: OperatorActionRequest,
  ): Promise<OperatorActionResponse> {
    return this.actions.record(request);
  }
}
