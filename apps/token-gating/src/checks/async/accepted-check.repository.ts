import { conflict, createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AsyncCheckConfig } from './async-check.config.js';
import { type NewCheck, hashRequest } from './new-check.js';

const INSERT = `
  INSERT INTO token_gating.checks
    (id, client_id, idempotency_key, request_hash, request, callback_url, reply, asker_user_id, next_run_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 ms', now() + $10 * interval '1 ms')
  ON CONFLICT DO NOTHING
  RETURNING id`;

const FIND_TWIN = `
  SELECT id, request_hash AS "requestHash" FROM token_gating.checks
  WHERE client_id = $1 AND (idempotency_key = $2 OR id = $3)`;

const KNOWN = 'SELECT id FROM token_gating.checks WHERE id = ANY($1::uuid[])';

const twin = z.object({ id: z.uuid(), requestHash: z.instanceof(Buffer) });
const ids = z.array(z.object({ id: z.string() }));

/** Accepts checks: from here on a check is a row, and is run and answered whatever becomes of its job. */
@Injectable()
export class AcceptedCheckRepository {
  private readonly known = createBatcher((all: readonly string[]) => this.areKnown(all));

  constructor(
    private readonly database: Database,
    private readonly config: AsyncCheckConfig,
  ) {}

  /** Whether a check of this id was accepted before. */
  has(id: string): Promise<boolean> {
    return this.known.load(id);
  }

  /**
   * @returns the id of the check, which is an earlier one's when the same request came under the same idempotency key
   * @throws AppError 409 for another request under the key of an earlier one
   */
  async accept(check: NewCheck): Promise<string> {
    const hash = hashRequest(check);
    const { id, clientId, requester, idempotencyKey, request, callbackUrl, reply } = check;
    const { SWEEP_AFTER_MS, CHECK_RETENTION_MS, CHECK_REREAD_FOR_MS } = this.config;
    const inserted = await this.database.query(INSERT, [
      id,
      clientId,
      idempotencyKey,
      hash,
      JSON.stringify(request),
      callbackUrl,
      reply,
      'userId' in requester ? requester.userId : null,
      SWEEP_AFTER_MS,
      CHECK_RETENTION_MS + CHECK_REREAD_FOR_MS,
    ]);
    if (inserted.length > 0) return id;
    const [row] = await this.database.query(FIND_TWIN, [clientId, idempotencyKey, id]);
    const earlier = twin.safeParse(row);
    if (!earlier.success || !earlier.data.requestHash.equals(hash)) throw keyTaken();
    return earlier.data.id;
  }

  private async areKnown(all: readonly string[]): Promise<boolean[]> {
    const rows = ids.parse(await this.database.query(KNOWN, [all]));
    const known = new Set(rows.map(({ id }) => id));
    return all.map((id) => known.has(id));
  }
}

const keyTaken = () =>
  conflict('idempotency_key_conflict', 'Another request was made under this idempotency key or request id.');
