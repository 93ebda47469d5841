import { SECOND_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { revokeSuspendedCredentials } from '../credential-revocations/revoke-credentials.js';
import { MAX_SWEEP_ROWS } from '../database/sweep.config.js';
import { deleteExpiredCredentials, deleteExpiredNonces } from './credential-records.queries.js';

/** A credential ends within a minute of what it says. */
const SWEEP_INTERVAL_MS = 10 * SECOND_MS;

@Injectable()
export class CredentialsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    super(
      context,
      [
        {
          name: 'revoke credentials about suspended communities',
          sweep: async () => (await revokeSuspendedCredentials(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
        },
        {
          name: 'delete expired credentials',
          sweep: async () => (await deleteExpiredCredentials(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
        },
        {
          name: 'delete expired nonces of credentials',
          sweep: async () => (await deleteExpiredNonces(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
        },
      ],
      SWEEP_INTERVAL_MS,
    );
  }
}
