import { DAY_SECONDS, SECOND_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { deleteEndedConsents } from '../credential-revocations/ended-consents.js';
import { revokeSuspendedCredentials } from '../credential-revocations/revoke-credentials.js';
import { MAX_SWEEP_ROWS } from '../database/sweep.config.js';
import { deleteExpiredCredentials, deleteExpiredNonces } from './credential-records.queries.js';
import { MAX_CREDENTIAL_LIFETIME_SECONDS } from './credential-types.js';
import { deleteOldIssueCounts } from './holders/credential-limits.js';
import { RemovedClientsService } from './removed-clients.service.js';
import { deleteOutlivedEntries, deleteOutlivedLists } from './status/status-lists.queries.js';

/** A credential ends within a minute of what it says. */
const SWEEP_INTERVAL_MS = 10 * SECOND_MS;
/** A list is kept for a day after the last credential in it can have expired, as the keys are. */
const LIST_LIFETIME_SECONDS = MAX_CREDENTIAL_LIFETIME_SECONDS + DAY_SECONDS;

@Injectable()
export class CredentialsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database, removedClients: RemovedClientsService) {
    super(
      context,
      [
        {
          name: 'revoke credentials about suspended communities',
          sweep: async () => (await revokeSuspendedCredentials(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
        },
        {
          name: 'delete status lists that have outlived their credentials',
          sweep: async () => {
            const deleted = await deleteOutlivedEntries(database, LIST_LIFETIME_SECONDS, MAX_SWEEP_ROWS);
            if (deleted === 0) await deleteOutlivedLists(database, LIST_LIFETIME_SECONDS);
            return deleted === MAX_SWEEP_ROWS;
          },
        },
        {
          name: 'revoke credentials of deleted client applications',
          sweep: () => removedClients.sweep(),
        },
        {
          name: 'delete expired credentials',
          sweep: async () => (await deleteExpiredCredentials(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
        },
        {
          name: 'delete ended consents',
          sweep: async () => (await deleteEndedConsents(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
        },
        {
          name: 'delete counts of credentials of days that are over',
          sweep: async () => (await deleteOldIssueCounts(database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS,
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
