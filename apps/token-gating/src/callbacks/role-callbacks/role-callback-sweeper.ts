import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import { DeliveryRepository } from '../delivery.repository.js';

/** Deletes expired role callbacks. Those of checks are deleted with their check. */
@Injectable()
export class RoleCallbackSweeper extends Sweeper {
  constructor(config: SweepConfig, context: ServiceContext, deliveries: DeliveryRepository) {
    const sweep = async () => (await deliveries.deleteExpired(MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
    super(context, [{ name: 'delete expired role callbacks', sweep }], config.SWEEP_INTERVAL_MS);
  }
}
