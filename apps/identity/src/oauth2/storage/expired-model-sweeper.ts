import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { GrantService } from './grant.service.js';

const SWEEP_INTERVAL_MS = 10_000;

/** Deletes expired models in batches. */
@Injectable()
export class ExpiredModelSweeper extends Sweeper {
  constructor(context: ServiceContext, grants: GrantService) {
    const task = { name: 'delete expired OAuth models', sweep: () => grants.deleteExpired() };
    super(context, [task], SWEEP_INTERVAL_MS);
  }
}
