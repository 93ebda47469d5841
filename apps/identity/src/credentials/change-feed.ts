import { Database } from '@app/database';
import type { CredentialChanges } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** More than this of either in one answer say the same as a truncated feed: look at everything again. */
const MOST = 1_000;

const sequenceNumber = z.bigint().transform(Number).pipe(z.int());

const rows = z.tuple([
  z.object({
    first: sequenceNumber,
    last: sequenceNumber,
    clientIds: z.array(z.string()),
    tokenIds: z.array(z.string()),
  }),
]);

/** One statement and so one snapshot: `last` covers exactly the changes that were looked at. */
const CHANGES = `
  SELECT coalesce(min(seq), 1) AS first, coalesce(max(seq), 0) AS last,
    ARRAY(SELECT DISTINCT client_id FROM identity.credential_changes
      WHERE seq > $1 AND client_id IS NOT NULL LIMIT $2) AS "clientIds",
    ARRAY(SELECT DISTINCT token_id FROM identity.credential_changes
      WHERE seq > $1 AND token_id IS NOT NULL LIMIT $2) AS "tokenIds"
  FROM identity.credential_changes`;

/** Which client applications changed and which tokens were revoked, for whoever keeps copies of what was true. */
@Injectable()
export class ChangeFeed {
  constructor(private readonly database: Database) {}

  async after(sequence: number): Promise<CredentialChanges> {
    const [{ first, last, clientIds, tokenIds }] = rows.parse(
      await this.database.query(CHANGES, [sequence, MOST + 1]),
    );
    const isForgotten = first > sequence + 1;
    // A sequence number from the future was handed out by a database that was since replaced by an older copy.
    const isTooMuch = clientIds.length > MOST || tokenIds.length > MOST;
    const truncated = isForgotten || sequence > last || isTooMuch;
    return { last, truncated, clientIds: clientIds.slice(0, MOST), tokenIds: tokenIds.slice(0, MOST) };
  }
}
