import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import {
  deleteEndedSecrets,
  endEndpointsOfClients,
  listEndpointClients,
  setEndpointScopes,
} from './callback-endpoints.queries.js';
import { keepEndpointScopes } from './endpoint-access.service.js';
import { deleteOrphanedDeliveries } from './endpoint-deliveries.queries.js';

/** Identity answers as many plans at once. */
const MAX_CLIENTS = 500;

/**
 * Ends endpoints with the rights of their applications: those of applications that are gone get nothing at once, and are deleted with their
 * deliveries after a day; an application is told what its approved scopes are about, as identity says. Identity is asked for 500 applications at
 * each interval.
 */
@Injectable()
export class EndpointSweeper extends Sweeper {
  /** The last application that was looked at; empty at the beginning of a round. */
  private cursor = '';

  constructor(
    { SWEEP_INTERVAL_MS }: SweepConfig,
    context: ServiceContext,
    private readonly database: Database,
    private readonly identity: IdentityClient,
  ) {
    super(
      context,
      [
        { name: 'end endpoints of client applications', sweep: () => this.sweepClients() },
        { name: 'delete previous secrets of endpoints', sweep: () => this.sweepSecrets() },
        { name: 'delete deliveries of deleted endpoints', sweep: () => this.sweepDeliveries() },
      ],
      SWEEP_INTERVAL_MS,
    );
  }

  /** @returns whether more may be due now. @throws AppError 503 */
  private async sweepClients(): Promise<boolean> {
    const clientIds = await listEndpointClients(this.database, this.cursor, MAX_CLIENTS);
    if (clientIds.length > 0) {
      const { plans } = await this.identity.fetchClientPlans(clientIds);
      const found = plans.map(({ clientId, scopes }) => ({ clientId, scopes: keepEndpointScopes(scopes) }));
      const known = new Set(found.map(({ clientId }) => clientId));
      await endEndpointsOfClients(
        this.database,
        clientIds.filter((clientId) => !known.has(clientId)),
      );
      await setEndpointScopes(this.database, found);
    }
    const isEnd = clientIds.length < MAX_CLIENTS;
    this.cursor = isEnd ? '' : (clientIds.at(-1) ?? '');
    return !isEnd;
  }

  private async sweepSecrets(): Promise<boolean> {
    await deleteEndedSecrets(this.database);
    return false;
  }

  private async sweepDeliveries(): Promise<boolean> {
    return (await deleteOrphanedDeliveries(this.database, MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
  }
}
