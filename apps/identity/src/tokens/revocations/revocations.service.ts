import { Database } from '@app/database';
import type { RevokedTokensPage } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { recordCredentialChanges } from '../change-feed/record-credential-changes.js';

/** A token or credential to revoke before it expires. */
export interface TokenToRevoke {
  /** `jti` of an access or AE token, nonce of an Ethereum credential, or an id from toAllCredentialsId. */
  readonly id: string;
  readonly expiresAt: Date;
}

/** Above the usual number of insertions per revocation, so that expired rows do not accumulate. */
const SWEEP_BATCH_SIZE = 100;
/** Keeps a response well below one megabyte. */
const PAGE_SIZE = 4_000;
/** The margin covers gateways whose clocks are behind. */
const IS_ALIVE = "expires_at > now() - interval '1 minute'";

const INSERT = `
  INSERT INTO identity.revoked_tokens (id, expires_at)
  SELECT id, max(expires_at) FROM unnest($1::text[], $2::timestamptz[]) AS revoked (id, expires_at)
  WHERE ${IS_ALIVE} GROUP BY id ORDER BY id
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
    WHERE revoked_tokens.expires_at < excluded.expires_at
  RETURNING id`;

const SWEEP = `
  DELETE FROM identity.revoked_tokens WHERE id IN (
    SELECT id FROM identity.revoked_tokens WHERE NOT (${IS_ALIVE})
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )`;

const LIST = `
  SELECT id, ceil(extract(epoch FROM expires_at) * 1000)::bigint AS "expiresAtMs"
  FROM identity.revoked_tokens WHERE id > $1 AND ${IS_ALIVE} ORDER BY id LIMIT $2`;

const IS_REVOKED = 'SELECT 1 FROM identity.revoked_tokens WHERE id = $1';

const inserted = z.array(z.object({ id: z.string() }));

const listed = z.array(z.object({ id: z.string(), expiresAtMs: z.bigint().transform(Number).pipe(z.int()) }));

/** Revoked tokens. Gateways learn of them through the change feed. */
@Injectable()
export class RevocationsService {
  constructor(private readonly database: Database) {}

  /**
   * Revokes tokens and appends them to the change feed. Call it once and last in a CredentialTransactionService transaction,
   * because it takes the feed's lock. Skips expired tokens.
   */
  async revoke(manager: EntityManager, tokens: readonly TokenToRevoke[]): Promise<void> {
    const columns = [tokens.map(({ id }) => id), tokens.map(({ expiresAt }) => expiresAt)];
    const revoked = inserted.parse(await manager.query(INSERT, columns));
    await manager.query(SWEEP, [SWEEP_BATCH_SIZE]);
    await recordCredentialChanges(
      manager,
      [],
      revoked.map(({ id }) => id),
    );
  }

  async isRevoked(id: string): Promise<boolean> {
    return (await this.database.query(IS_REVOKED, [id])).length > 0;
  }

  /** A page of revoked tokens that have not expired, sorted by id. @param after the last id of the previous page */
  async listRevoked(after: string): Promise<RevokedTokensPage> {
    const tokens = listed.parse(await this.database.query(LIST, [after, PAGE_SIZE]));
    return { tokens, next: tokens.length < PAGE_SIZE ? null : (tokens.at(-1)?.id ?? null) };
  }
}
