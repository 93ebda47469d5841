import { ServiceContext, Sweeper, type SweepTask } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import { DeliveryRepository } from '../delivery.repository.js';

/** Deletes expired role callbacks. Those of checks are deleted with their check. */
@Injectable()
export class DeleteExpiredRoleCallbacksStep implements SweepTask {
  readonly name = 'delete expired role callbacks';

  constructor(private readonly deliveries: DeliveryRepository) {}

  async sweep(): Promise<boolean> {
    return (await this.deliveries.deleteExpired(MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
  }
}

@Injectable()
export class RoleCallbackSweeper extends Sweeper {
  constructor(config: SweepConfig, context: ServiceContext, expired: DeleteExpiredRoleCallbacksStep) {
    super(context, [expired], config.SWEEP_INTERVAL_MS);
  }
}
