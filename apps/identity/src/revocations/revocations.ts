import { Database } from '@app/database';
import type { RevokedTokens } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { recordChanges } from '../credentials/record-changes.js';

/** A token that shall die before its time. */
export interface TokenToRevoke {
  /** `jti` of an access or AE token, nonce of an Ethereum credential. */
  readonly id: string;
  /** When it dies by itself. */
  readonly expiresAt: Date;
}

/** More than come in with one revocation, so that the table keeps no more than what is alive. */
const SWEPT_AT_ONCE = 100;

const INSERT = `
  INSERT INTO identity.revoked_tokens (id, expires_at)
  SELECT id, max(expires_at) FROM unnest($1::text[], $2::timestamptz[]) AS revoked (id, expires_at)
  WHERE expires_at > now() GROUP BY id ORDER BY id
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
    WHERE revoked_tokens.expires_at < excluded.expires_at
  RETURNING id`;

const SWEEP = `
  DELETE FROM identity.revoked_tokens WHERE id IN (
    SELECT id FROM identity.revoked_tokens WHERE expires_at <= now()
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )`;

/** One statement and so one snapshot: what is not in the list has a number above `asOf`. */
const ALL = `
  SELECT (SELECT coalesce(max(seq), 0) FROM identity.credential_changes) AS "asOf",
    (SELECT coalesce(jsonb_agg(jsonb_build_object(
        'id', id, 'expiresAt', ceil(extract(epoch FROM expires_at))
      )), '[]')
      FROM identity.revoked_tokens WHERE expires_at > now()) AS tokens`;

const inserted = z.array(z.object({ id: z.string() }));

const rows = z.tuple([
  z.object({
    asOf: z.bigint().transform(Number).pipe(z.int()),
    tokens: z.array(z.object({ id: z.string(), expiresAt: z.int() })),
  }),
]);

/** Tokens that died before their time. Gateways hear of them through the feed of changes. */
@Injectable()
export class Revocations {
  constructor(private readonly database: Database) {}

  /**
   * Revokes these, and says so in the feed. Inside a transaction of CredentialWrites, once and last: it ends with the
   * feed's lock. What is dead already is left out.
   */
  async revoke(manager: EntityManager, tokens: readonly TokenToRevoke[]): Promise<void> {
    const columns = [tokens.map(({ id }) => id), tokens.map(({ expiresAt }) => expiresAt)];
    const revoked = inserted.parse(await manager.query(INSERT, columns));
    await manager.query(SWEEP, [SWEPT_AT_ONCE]);
    await recordChanges(
      manager,
      [],
      revoked.map(({ id }) => id),
    );
  }

  /** All that are revoked and would be alive, for whoever begins to follow the feed. */
  async all(): Promise<RevokedTokens> {
    const [found] = rows.parse(await this.database.query(ALL));
    return found;
  }
}
