import { runAfterCommit, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CallbackConfig } from '../callback.config.js';
import { DeliveryMetrics } from '../delivery-metrics.js';
import type { NewRoleCallback } from '../delivery.js';
import { DeliveryRepository } from '../delivery.repository.js';
import { DeliverySignal } from '../delivery-signal.js';
import type { RoleChange } from './collect-role-changes.js';
import { reserveRoleCallbacks } from './role-callback-schedules.queries.js';

const CALLBACK_CLIENTS = `
  SELECT community_id AS "communityId", client_id AS "clientId", coalesce(tenant_id, client_id) AS "tenantId",
    callback_url AS url
  FROM token_gating.community_clients WHERE community_id = ANY($1::text[]) AND callback_url IS NOT NULL AND challenge IS NULL`;

/** Keeps a statement far below the statement timeout. */
const MAX_ROWS_PER_STATEMENT = 1_000;

const MINUTE_MS = 60_000;
/** A tenth of a minute's role callbacks of a tenant may be due at once. */
const BURST_MS = MINUTE_MS / 10;
/** Role callbacks that would wait longer are not created: receivers read the roles instead. */
const MAX_WAIT_MS = 60 * MINUTE_MS;

const callbackClients = z.array(
  z.object({ communityId: z.string(), clientId: z.string(), tenantId: z.string(), url: z.string() }),
);

interface NewChallenge {
  readonly communityId: string;
  readonly clientId: string;
  readonly tenantId: string;
  readonly url: string;
  readonly challenge: string;
}

/**
 * Creates callbacks for role changes, for attached client applications whose receiver has answered its challenge. They are signed, retried and
 * redelivered like callbacks of checks (contract.md section 6), with `communityId`, `userId` and `at` beside the roles.
 */
@Injectable()
export class RoleCallbackService {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly signal: DeliverySignal,
    private readonly config: CallbackConfig,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** Runs in the transaction that attaches the client application. */
  async createChallenge(
    manager: EntityManager,
    { communityId, challenge, clientId, tenantId, url }: NewChallenge,
  ): Promise<void> {
    const payload = { communityId, challenge, roles: [] };
    await this.deliveries.insertRoleCallbacks(manager, [{ clientId, tenantId, url, delayMs: 0, payload }]);
    runAfterCommit(manager, () => {
      this.signal.notify();
    });
  }

  /** Runs in the transaction of the role changes. */
  async createDeliveries(manager: EntityManager, changes: readonly RoleChange[]): Promise<void> {
    if (changes.length === 0) return;
    const communityIds = [...new Set(changes.map(({ subject }) => subject.communityId))];
    const clients = callbackClients.parse(await queryRows(manager, CALLBACK_CLIENTS, [communityIds]));
    const wanted = clients.flatMap(({ communityId, ...client }) =>
      changes
        .filter(({ subject }) => subject.communityId === communityId)
        .map(({ subject, roles }) => ({ ...client, payload: { ...subject, roles } })),
    );
    if (wanted.length === 0) return;
    const callbacks = await this.schedule(manager, wanted);
    for (let start = 0; start < callbacks.length; start += MAX_ROWS_PER_STATEMENT)
      await this.deliveries.insertRoleCallbacks(
        manager,
        callbacks.slice(start, start + MAX_ROWS_PER_STATEMENT),
      );
    runAfterCommit(manager, () => {
      this.metrics.recordDropped(wanted.length - callbacks.length);
      this.signal.notify();
    });
  }

  /** Spaces the callbacks of each tenant beyond its limit per minute, and omits those that would wait too long. */
  private async schedule(
    manager: EntityManager,
    callbacks: readonly Omit<NewRoleCallback, 'delayMs'>[],
  ): Promise<NewRoleCallback[]> {
    const spacingMs = MINUTE_MS / this.config.ROLE_CALLBACKS_PER_MINUTE;
    const maxAheadMs = BURST_MS + MAX_WAIT_MS;
    const counts = new Map<string, number>();
    for (const { tenantId } of callbacks) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1);
    const nextMs = new Map(await reserveRoleCallbacks(manager, counts, { spacingMs, maxAheadMs }));
    return callbacks.flatMap((callback) => {
      const atMs = nextMs.get(callback.tenantId) ?? 0;
      nextMs.set(callback.tenantId, atMs + spacingMs);
      return atMs >= maxAheadMs ? [] : [{ ...callback, delayMs: Math.max(0, atMs - BURST_MS) }];
    });
  }
}
