import { runAfterCommit, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { DeliveryRepository } from '../delivery.repository.js';
import { DeliverySignal } from '../delivery-signal.js';
import type { RoleChange } from './collect-role-changes.js';

const CALLBACK_CLIENTS = `
  SELECT community_id AS "communityId", client_id AS "clientId", callback_url AS url
  FROM token_gating.community_clients WHERE community_id = ANY($1::text[]) AND callback_url IS NOT NULL`;

/** Keeps a statement far below the statement timeout. */
const MAX_ROWS_PER_STATEMENT = 1_000;

const callbackClients = z.array(z.object({ communityId: z.string(), clientId: z.string(), url: z.string() }));

/**
 * Creates callbacks for role changes, for attached client applications with a callback URL. They are signed, retried and
 * redelivered like callbacks of checks (contract.md section 6), with `communityId`, `userId` and `at` beside the roles.
 */
@Injectable()
export class RoleCallbackService {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly signal: DeliverySignal,
  ) {}

  /** Runs in the transaction of the role changes. */
  async createDeliveries(manager: EntityManager, changes: readonly RoleChange[]): Promise<void> {
    if (changes.length === 0) return;
    const communityIds = [...new Set(changes.map(({ subject }) => subject.communityId))];
    const clients = callbackClients.parse(await queryRows(manager, CALLBACK_CLIENTS, [communityIds]));
    const callbacks = clients.flatMap(({ communityId, clientId, url }) =>
      changes
        .filter(({ subject }) => subject.communityId === communityId)
        .map(({ subject, roles }) => ({ clientId, url, payload: { ...subject, roles } })),
    );
    for (let start = 0; start < callbacks.length; start += MAX_ROWS_PER_STATEMENT)
      await this.deliveries.insertRoleCallbacks(
        manager,
        callbacks.slice(start, start + MAX_ROWS_PER_STATEMENT),
      );
    if (callbacks.length === 0) return;
    runAfterCommit(manager, () => {
      this.signal.notify();
    });
  }
}
