import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { OAuthModelQueries } from './oauth-models.queries.js';

const SWEEP_INTERVAL_MS = 10_000;

/** Deletes expired models in batches. */
@Injectable()
export class ExpiredModelSweeper extends Sweeper {
  constructor(context: ServiceContext, models: OAuthModelQueries) {
    const task = { name: 'delete expired OAuth models', sweep: () => models.deleteExpired() };
    super(context, [task], SWEEP_INTERVAL_MS);
  }
}
