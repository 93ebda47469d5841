import { Database } from '@app/database';
import { type CredentialChanges, revokedToken } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** In one answer. */
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
 * One statement and so one snapshot: `last` covers exactly the changes that were looked at. What has expired since it was
 * revoked is left out. The array makes PostgreSQL look the ids up, whatever it believes of their number.
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

/** Which client applications changed and which tokens were revoked, for whoever keeps copies of what was true. */
@Injectable()
export class CredentialChangesService {
  constructor(private readonly database: Database) {}

  async listAfter(sequence: number): Promise<CredentialChanges> {
    const [{ first, newest, last, clientIds, revoked }] = rows.parse(
      await this.database.query(CHANGES, [sequence, MAX_CHANGES_PER_PAGE]),
    );
    const isForgotten = first > sequence + 1;
    // A sequence number from the future was handed out by a database that was since replaced by an older copy.
    const truncated = isForgotten || sequence > newest;
    return { last, hasMore: last < newest, truncated, clientIds, revoked };
  }
}
