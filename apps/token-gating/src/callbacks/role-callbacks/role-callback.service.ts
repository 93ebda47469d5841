import { randomUUID } from 'node:crypto';
import { runAfterCommit, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CallbackConfig } from '../callback.config.js';
import { createDeliveryId } from '../delivery.js';
import { DeliverySignal } from '../delivery-signal.js';
import type { RoleChange } from './collect-role-changes.js';

const CALLBACK_CLIENTS = `
  SELECT community_id AS "communityId", client_id AS "clientId", callback_url AS "callbackUrl"
  FROM token_gating.community_clients WHERE community_id = ANY($1::text[]) AND callback_url IS NOT NULL`;

/** Inserts each change as a finished check and its delivery. */
const INSERT = `
  WITH change AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      AS change (id, client_id, callback_url, result, subject, delivery_id)
  ), done AS (
    INSERT INTO token_gating.checks (id, client_id, request_hash, request, callback_url, reply, result, subject,
      next_run_at, done_at, expires_at)
    SELECT id, client_id, '', '{}', callback_url, false, result::jsonb, subject::jsonb,
      now(), now(), now() + $7 * interval '1 ms'
    FROM change
  )
  INSERT INTO token_gating.deliveries (id, check_id, url, next_attempt_at)
  SELECT delivery_id, id, callback_url, now() FROM change`;

/** Keeps a statement far below the statement timeout. */
const MAX_ROWS_PER_STATEMENT = 1_000;

const callbackClients = z.array(
  z.object({ communityId: z.string(), clientId: z.string(), callbackUrl: z.string() }),
);

interface RoleCallback extends RoleChange {
  readonly clientId: string;
  readonly callbackUrl: string;
}

/**
 * Creates callbacks for role changes, for attached client applications with a callback URL. They are signed, retried and
 * redelivered like callbacks of checks (contract.md section 6), with `communityId`, `userId` and `at` beside the roles.
 */
@Injectable()
export class RoleCallbackService {
  constructor(
    private readonly config: CallbackConfig,
    private readonly signal: DeliverySignal,
  ) {}

  /** Runs in the transaction of the role changes. */
  async createDeliveries(manager: EntityManager, changes: readonly RoleChange[]): Promise<void> {
    if (changes.length === 0) return;
    const communityIds = [...new Set(changes.map(({ subject }) => subject.communityId))];
    const clients = callbackClients.parse(await queryRows(manager, CALLBACK_CLIENTS, [communityIds]));
    const callbacks = clients.flatMap(({ communityId, ...client }) =>
      changes
        .filter(({ subject }) => subject.communityId === communityId)
        .map((change) => ({ ...client, ...change })),
    );
    for (let start = 0; start < callbacks.length; start += MAX_ROWS_PER_STATEMENT)
      await this.insert(manager, callbacks.slice(start, start + MAX_ROWS_PER_STATEMENT));
    if (callbacks.length === 0) return;
    runAfterCommit(manager, () => {
      this.signal.notify();
    });
  }

  private async insert(manager: EntityManager, callbacks: readonly RoleCallback[]): Promise<void> {
    await queryRows(manager, INSERT, [
      callbacks.map(() => randomUUID()),
      callbacks.map(({ clientId }) => clientId),
      callbacks.map(({ callbackUrl }) => callbackUrl),
      callbacks.map(({ roles }) => JSON.stringify({ roles, errors: [] })),
      callbacks.map(({ subject }) => JSON.stringify(subject)),
      callbacks.map(() => createDeliveryId()),
      this.config.CHECK_RETENTION_MS,
    ]);
  }
}
