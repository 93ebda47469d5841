import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../clients/identity-client.js';
import { revokeClientCredentials } from '../credential-revocations/revoke-credentials.js';
import { MAX_SWEEP_ROWS } from '../database/sweep.config.js';
import { listCredentialClients } from './credential-records.queries.js';

/** Identity answers as many plans at once. */
const MAX_CLIENTS = 500;

/**
 * Revokes the credentials that deleted client applications have asked for. Identity is asked for applications, which are few, instead
 * of publishing an event for each of their users.
 */
@Injectable()
export class RemovedClientsService {
  /** The last application that was looked at; empty at the beginning of a round. */
  private cursor = '';

  constructor(
    private readonly database: Database,
    private readonly identity: IdentityClient,
  ) {}

  /** @returns whether more may be due now @throws AppError 503 */
  async sweep(): Promise<boolean> {
    const clientIds = await listCredentialClients(this.database, this.cursor, MAX_CLIENTS);
    if (clientIds.length > 0) {
      const { plans } = await this.identity.fetchClientPlans(clientIds);
      const existing = new Set(plans.map(({ clientId }) => clientId));
      const removed = clientIds.filter((id) => !existing.has(id));
      if (removed.length > 0 && (await this.revoke(removed)) === MAX_SWEEP_ROWS) return true;
    }
    const isEnd = clientIds.length < MAX_CLIENTS;
    this.cursor = isEnd ? '' : (clientIds.at(-1) ?? '');
    return !isEnd;
  }

  private revoke(clientIds: readonly string[]): Promise<number> {
    return revokeClientCredentials(this.database, clientIds, MAX_SWEEP_ROWS);
  }
}
