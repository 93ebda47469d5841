import { DAY_MS, MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { deletePastUsage } from '../limits/reservations.queries.js';
import { deleteEndedKeys } from './idempotency-keys.queries.js';

const SWEEP_INTERVAL_MS = 10 * MINUTE_MS;
/** Usage is kept for longer than the longest period of a cap, and than operations are under way. */
const USAGE_KEPT_MS = 92 * DAY_MS;
const MAX_ROWS = 1_000;

/** Deletes what is not read any more: what caps counted long ago, and idempotency keys of operations that ended a day ago. */
@Injectable()
export class RetentionSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    super(
      context,
      [
        {
          name: 'delete past usage of caps',
          sweep: () => deletePastUsage(database, new Date(Date.now() - USAGE_KEPT_MS), MAX_ROWS),
        },
        {
          name: 'delete idempotency keys of ended operations',
          sweep: async () => (await deleteEndedKeys(database, MAX_ROWS)) === MAX_ROWS,
        },
      ],
      SWEEP_INTERVAL_MS,
    );
  }
}
