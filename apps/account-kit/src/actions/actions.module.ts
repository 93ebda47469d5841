import { Module } from '@nestjs/common';
import { ActionRunnerService } from './action-runner.service.js';
import { ActionService } from './action.service.js';
import { CustomActionMetrics } from './custom-action-metrics.js';
import { CustomActionsService } from './custom-actions.service.js';

@Module({
  providers: [
    ActionService,
    CustomActionMetrics,
    CustomActionsService,
    // Its constructor takes the URL of the worker, which Nest must not inject.
    { provide: ActionRunnerService, useFactory: () => new ActionRunnerService() },
  ],
  exports: [ActionService, CustomActionsService],
})
export class ActionsModule {}
