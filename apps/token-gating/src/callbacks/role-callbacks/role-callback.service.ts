import { queryRows, runAfterCommit } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';
import { CallbackConfig } from '../callback.config.js';
import { DeliveryMetrics } from '../delivery-metrics.js';
import { DeliveryRepository, DeliverySignal } from '../delivery.repository.js';
import { scheduleCallbacks } from './role-callback-schedules.queries.js';
import type { RoleChange } from './collect-role-changes.js';
import { loadVisibleIdentities, type MemberIdentity } from './member-identities.queries.js';

/** Deletes expired role callbacks. Those of checks are deleted with their check. */
@Injectable()
export class RoleCallbackSweeper extends Sweeper {
  constructor(config: SweepConfig, context: ServiceContext, deliveries: DeliveryRepository) {
    const sweep = async () => (await deliveries.deleteExpired(MAX_SWEEP_ROWS)) === MAX_SWEEP_ROWS;
    super(context, [{ name: 'delete expired role callbacks', sweep }], config.SWEEP_INTERVAL_MS);
  }
}

/** A community for which no approved client application stands calls nobody back (docs/adr/0115). */
const CALLBACK_CLIENTS = `
  SELECT community_id AS "communityId", client_id AS "clientId", coalesce(tenant_id, client_id) AS "tenantId",
    callback_url AS url
  FROM token_gating.community_clients WHERE community_id = ANY($1::text[]) AND callback_url IS NOT NULL AND challenge IS NULL
    AND NOT EXISTS (SELECT FROM token_gating.communities c WHERE c.id = community_id AND c.without_application)`;

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
 * redelivered like callbacks of checks (contract.md section 6), with `communityId`, `userId` and `at` beside the roles,
 * and `platform` and `platformUserId` for those that may know them.
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
    await this.deliveries.insertCallbacks(manager, [{ clientId, tenantId, url, delayMs: 0, payload }]);
    runAfterCommit(manager, () => {
      this.signal.notify();
    });
  }

  /** Runs in the transaction of the role changes. @param left who the members were that the transaction has removed */
  async createDeliveries(
    manager: EntityManager,
    changes: readonly RoleChange[],
    left: readonly MemberIdentity[],
  ): Promise<void> {
    if (changes.length === 0) return;
    const communityIds = [...new Set(changes.map(({ subject }) => subject.communityId))];
    const clients = callbackClients.parse(await queryRows(manager, CALLBACK_CLIENTS, [communityIds]));
    const called = new Set(clients.map(({ communityId }) => communityId));
    const subjects = changes
      .map(({ subject }) => subject)
      .filter(({ communityId }) => called.has(communityId));
    if (subjects.length === 0) return;
    const identify = await loadVisibleIdentities(manager, subjects, left);
    const wanted = clients.flatMap(({ communityId, ...client }) =>
      changes
        .filter(({ subject }) => subject.communityId === communityId)
        .map(({ subject, roles }) => {
          const { platform, platformUserId } = identify(subject, client.clientId);
          return { ...client, payload: { ...subject, platform, platformUserId, roles } };
        }),
    );
    const callbacks = await scheduleCallbacks(manager, wanted, {
      perMinute: this.config.ROLE_CALLBACKS_PER_MINUTE,
      toSchedule: (tenantId) => tenantId,
    });
    await this.deliveries.insertCallbacks(manager, callbacks);
    runAfterCommit(manager, () => {
      this.metrics.recordDropped('role', wanted.length - callbacks.length);
      this.signal.notify();
    });
  }
}
