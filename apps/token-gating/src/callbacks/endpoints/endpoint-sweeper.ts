import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { IdentityClient } from '../../clients/identity-client.js';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import {
  deleteEndedSecrets,
  deleteEndpointsOfClients,
  listEndpointClients,
  setEndpointsSuspended,
} from './callback-endpoints.queries.js';
import { ENDPOINT_SCOPES } from './endpoint-access.service.js';
import { deleteOrphanedDeliveries } from './endpoint-deliveries.queries.js';

/** Identity answers as many plans at once. */
const MAX_CLIENTS = 500;

/**
 * Ends endpoints with the rights of their applications: those of deleted applications are deleted with their deliveries, and those of
 * applications that are approved for nothing that endpoints are about get nothing until they are again. Identity is asked for 500 applications
 * at each interval.
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
      const isApproved = new Map(
        plans.map(({ clientId, scopes }) => [
          clientId,
          ENDPOINT_SCOPES.some((scope) => scopes.includes(scope)),
        ]),
      );
      const listWith = (approved: boolean | undefined) =>
        clientIds.filter((clientId) => isApproved.get(clientId) === approved);
      await deleteEndpointsOfClients(this.database, listWith(undefined));
      await setEndpointsSuspended(this.database, listWith(false), true);
      await setEndpointsSuspended(this.database, listWith(true), false);
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
