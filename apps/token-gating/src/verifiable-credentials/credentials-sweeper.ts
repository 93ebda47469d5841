import { MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { MAX_SWEEP_ROWS } from '../database/sweep.config.js';
import { deleteExpiredCredentials, deleteExpiredNonces } from './credential-records.queries.js';

@Injectable()
export class CredentialsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    super(
      context,
      [
        {
          name: 'delete expired credentials',
          sweep: async () => (await deleteExpiredCredentials(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
        },
        {
          name: 'delete expired nonces of credentials',
          sweep: async () => (await deleteExpiredNonces(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
        },
      ],
      MINUTE_MS,
    );
  }
}
