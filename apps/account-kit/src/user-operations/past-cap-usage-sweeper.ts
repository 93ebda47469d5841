import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { deletePastUsage } from '../caps/reservations.queries.js';

const SWEEP_INTERVAL_MS = 60 * 60_000;
/** Longer than the longest period and than operations are under way. */
const KEPT_MS = 92 * 24 * 60 * 60_000;
const MAX_ROWS = 1_000;

/** Deletes what caps counted in periods that are over. */
@Injectable()
export class PastCapUsageSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    const sweep = () => deletePastUsage(database, new Date(Date.now() - KEPT_MS), MAX_ROWS);
    super(context, [{ name: 'delete past usage of caps', sweep }], SWEEP_INTERVAL_MS);
  }
}
