import { Database } from '@app/database';
import type { RevokedTokensPage } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { recordCredentialChanges } from '../change-feed/record-credential-changes.js';

/** A token that shall die before its time. */
export interface TokenToRevoke {
  /** `jti` of an access or AE token, nonce of an Ethereum credential, or what `allCredentials` names. */
  readonly id: string;
  /** When it dies by itself. */
  readonly expiresAt: Date;
}

/** More than come in with one revocation, so that the table keeps no more than what is alive. */
const SWEEP_BATCH_SIZE = 100;
/** Of the list, in one answer: far less than a megabyte. */
const PAGE_SIZE = 4_000;
/** What has expired here may be alive by a gateway's clock. */
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

/** Tokens that died before their time. Gateways hear of them through the feed of changes. */
@Injectable()
export class RevocationsService {
  constructor(private readonly database: Database) {}

  /**
   * Revokes these, and says so in the feed. Inside a transaction of CredentialWrites, once and last: it ends with the
   * feed's lock. What is dead already is left out.
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

  /** A page of all that are revoked and may be alive somewhere, by id. @param after the last id of the page before */
  async listRevoked(after: string): Promise<RevokedTokensPage> {
    const tokens = listed.parse(await this.database.query(LIST, [after, PAGE_SIZE]));
    return { tokens, next: tokens.length < PAGE_SIZE ? null : (tokens.at(-1)?.id ?? null) };
  }
}
