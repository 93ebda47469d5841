import { Database } from '@app/database';
import { type CredentialChanges, revokedToken } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

const MAX_CHANGES_PER_PAGE = 1_000;

const sequenceNumber = z.bigint().transform(Number).pipe(z.int());

const rows = z.tuple([
  z.object({
    first: sequenceNumber,
    newest: sequenceNumber,
    last: sequenceNumber,
    clientIds: z.array(z.string()),
    revoked: z.array(revokedToken),
  }),
]);

/**
 * One statement and so one snapshot: `last` covers exactly the returned changes. Omits expired revocations. `ANY (ARRAY(…))`
 * makes PostgreSQL use the index whatever row count it estimates.
 */
const CHANGES = `
  WITH feed AS (
    SELECT coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS newest FROM identity.credential_changes
  ), part AS (
    SELECT seq, client_id, token_id FROM identity.credential_changes WHERE seq > $1 ORDER BY seq LIMIT $2
  )
  SELECT first, newest, coalesce((SELECT max(seq) FROM part), newest) AS last,
    ARRAY(SELECT DISTINCT client_id FROM part WHERE client_id IS NOT NULL) AS "clientIds",
    (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id', id, 'expiresAtMs', ceil(extract(epoch FROM expires_at) * 1000)
      )), '[]')
      FROM identity.revoked_tokens WHERE id = ANY (ARRAY(SELECT token_id FROM part))) AS revoked
  FROM feed`;

/** Changed client applications and revoked tokens, for gateways to invalidate their caches. */
@Injectable()
export class CredentialChangesService {
  constructor(private readonly database: Database) {}

  async listAfter(sequence: number): Promise<CredentialChanges> {
    const [{ first, newest, last, clientIds, revoked }] = rows.parse(
      await this.database.query(CHANGES, [sequence, MAX_CHANGES_PER_PAGE]),
    );
    const isDeleted = first > sequence + 1;
    // A number above the newest one comes from a database that was since restored from a backup.
    const truncated = isDeleted || sequence > newest;
    return { last, hasMore: last < newest, truncated, clientIds, revoked };
  }
}
