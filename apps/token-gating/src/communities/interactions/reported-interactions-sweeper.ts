import { MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { forgetInteractions } from './reported-interactions.queries.js';

const SWEEP_INTERVAL_MS = MINUTE_MS;
const MAX_ROWS = 5_000;

/** Forgets the ids of interactions that are too old to be reported again. */
@Injectable()
export class ReportedInteractionsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    const sweep = async (): Promise<boolean> => (await forgetInteractions(database, MAX_ROWS)) === MAX_ROWS;
    super(context, [{ name: 'forget reported interactions', sweep }], SWEEP_INTERVAL_MS);
  }
}
