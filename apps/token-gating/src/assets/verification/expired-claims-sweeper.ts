import { MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS } from '../../database/sweep.config.js';
import { deleteExpiredClaims } from './asset-claims.queries.js';

const SWEEP_INTERVAL_MS = MINUTE_MS;

@Injectable()
export class ExpiredClaimsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    const sweep = async () => (await deleteExpiredClaims(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
    super(context, [{ name: 'delete expired asset claims', sweep }], SWEEP_INTERVAL_MS);
  }
}
