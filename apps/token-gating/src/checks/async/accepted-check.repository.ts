import { conflict, createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CallbackConfig } from '../../callbacks/callback.config.js';
import { SweepConfig } from '../../database/sweep.config.js';
import { AsyncCheckConfig } from './async-check.config.js';
import { type NewCheck, hashRequest } from './new-check.js';

const INSERT = `
  INSERT INTO token_gating.checks
    (id, client_id, idempotency_key, request_hash, request, callback_url, reply, asker_user_id, next_run_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 ms', now() + $10 * interval '1 ms')
  ON CONFLICT DO NOTHING
  RETURNING id`;

const FIND_EXISTING = `
  SELECT id, request_hash AS "requestHash" FROM token_gating.checks
  WHERE client_id = $1 AND (idempotency_key = $2 OR id = $3)`;

const FIND_IDS = 'SELECT id FROM token_gating.checks WHERE id = ANY($1::uuid[])';

const existingCheck = z.object({ id: z.uuid(), requestHash: z.instanceof(Buffer) });
const ids = z.array(z.object({ id: z.string() }));

/** Stores accepted checks. A stored check is run and answered even when its job is lost. */
@Injectable()
export class AcceptedCheckRepository {
  private readonly existence = createBatcher((requestIds: readonly string[]) => this.exist(requestIds));

  constructor(
    private readonly database: Database,
    private readonly config: AsyncCheckConfig,
    private readonly callbackConfig: CallbackConfig,
    private readonly sweepConfig: SweepConfig,
  ) {}

  has(id: string): Promise<boolean> {
    return this.existence.load(id);
  }

  /**
   * Idempotent by idempotency key and by id.
   * @returns the id of the check: of the existing one when the same request came under the same idempotency key
   * @throws AppError 409 when a different request came under the same key or id
   */
  async accept(check: NewCheck): Promise<string> {
    const hash = hashRequest(check);
    const { id, clientId, requester, idempotencyKey, request, callbackUrl, reply } = check;
    const inserted = await this.database.query(INSERT, [
      id,
      clientId,
      idempotencyKey,
      hash,
      JSON.stringify(request),
      callbackUrl,
      reply,
      'userId' in requester ? requester.userId : null,
      this.sweepConfig.SWEEP_AFTER_MS,
      this.callbackConfig.CHECK_RETENTION_MS + this.config.CHECK_REREAD_FOR_MS,
    ]);
    if (inserted.length > 0) return id;
    const [row] = await this.database.query(FIND_EXISTING, [clientId, idempotencyKey, id]);
    const existing = existingCheck.safeParse(row);
    if (!existing.success || !existing.data.requestHash.equals(hash)) throw idempotencyKeyConflict();
    return existing.data.id;
  }

  private async exist(requestIds: readonly string[]): Promise<boolean[]> {
    const rows = ids.parse(await this.database.query(FIND_IDS, [requestIds]));
    const found = new Set(rows.map(({ id }) => id));
    return requestIds.map((id) => found.has(id));
  }
}

const idempotencyKeyConflict = () =>
  conflict('idempotency_key_conflict', 'Another request was made under this idempotency key or request id.');
