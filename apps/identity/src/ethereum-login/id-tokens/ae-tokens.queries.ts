import { Database, formatTimestampSql, queryRows } from '@app/database';
import { knownScopes, type Scope } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { TokenToRevoke } from '../../tokens/revocations/revoked-tokens.queries.js';

/** Each insert deletes up to this many expired rows, so the table needs no sweeper. */
const MAX_SWEPT_ROWS = 10;

const INSERT = `
  WITH swept AS (
    DELETE FROM identity.ae_tokens WHERE jti IN (
      SELECT jti FROM identity.ae_tokens WHERE expires_at <= now()
      ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
    )
  )
  INSERT INTO identity.ae_tokens (jti, user_id, client_id, scopes, issued_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  RETURNING ${formatTimestampSql('clock_timestamp()')} AS at`;

const DELETE = 'DELETE FROM identity.ae_tokens WHERE jti = $1';

const DELETE_ALL_FOR_CLIENT = `
  DELETE FROM identity.ae_tokens WHERE user_id = $1 AND client_id = $2
  RETURNING jti AS id, expires_at AS "expiresAt"`;

const SELECT_ACTIVE_LOGINS = `
  SELECT t.client_id AS "clientId", min(t.issued_at) AS since, max(t.expires_at) AS until,
    array_remove(array_agg(DISTINCT one.scope), NULL) AS scopes
  FROM identity.ae_tokens t LEFT JOIN unnest(t.scopes) AS one (scope) ON true
  WHERE t.user_id = $1 AND t.expires_at > now()
  GROUP BY t.client_id ORDER BY since`;

const insertedRow = z.tuple([z.object({ at: z.iso.datetime() })]);

const deletedTokenRows = z.array(z.object({ id: z.string(), expiresAt: z.date() }));

const activeLoginRows = z.array(
  z.object({ clientId: z.string(), since: z.date(), until: z.date(), scopes: knownScopes }),
);

/** A client application in which a user is signed in. */
export type ActiveLogin = z.output<typeof activeLoginRows>[number];

export interface StoredAeToken {
  readonly jti: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Every statement on `ae_tokens`. */
@Injectable()
export class AeTokenQueries {
  constructor(private readonly database: Database) {}

  /** @returns the database's time */
  async insert(
    manager: EntityManager,
    { jti, userId, clientId, scopes, issuedAt, expiresAt }: StoredAeToken,
  ): Promise<string> {
    const row = [jti, userId, clientId, scopes, issuedAt, expiresAt];
    return insertedRow.parse(await queryRows(manager, INSERT, row))[0].at;
  }

  async delete(manager: EntityManager, jti: string): Promise<void> {
    await queryRows(manager, DELETE, [jti]);
  }

  /** @returns the deleted tokens */
  async deleteAllForClient(
    manager: EntityManager,
    userId: string,
    clientId: string,
  ): Promise<TokenToRevoke[]> {
    return deletedTokenRows.parse(await queryRows(manager, DELETE_ALL_FOR_CLIENT, [userId, clientId]));
  }

  /** The client applications in which the user has a live AE token, oldest login first. */
  async listActiveLogins(userId: string): Promise<ActiveLogin[]> {
    return activeLoginRows.parse(await this.database.query(SELECT_ACTIVE_LOGINS, [userId]));
  }
}
