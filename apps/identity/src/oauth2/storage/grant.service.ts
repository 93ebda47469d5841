import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { RevocationsService, type TokenToRevoke } from '../../tokens/revocations/revocations.service.js';
import type { ModelKind } from './model-kind.js';

/** The database, or a transaction in it. */
interface QueryExecutor {
  query(sql: string, parameters: unknown[]): Promise<unknown>;
}

/** The scopes that a user granted to a client application. */
export interface UserGrant {
  readonly grantId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Requested scopes that the user refused. */
  readonly refused: readonly string[];
  /** When the user decided. A copy for a later session keeps this time. */
  readonly since: Date;
  readonly until: Date;
}

/** Serializes revocations of the same grant, which would otherwise lock its rows in different orders and deadlock. */
const LOCK = `
  SELECT pg_advisory_xact_lock(hashtextextended('gatehouse grant ' || name, 0)) FROM unnest($1::text[]) AS name`;

/**
 * Runs first: it waits for inserts under the grant that are in progress, so that the next statement sees their rows.
 */
const DELETE_GRANTS = `DELETE FROM identity.oauth_models WHERE kind = 'Grant' AND id = ANY($1::text[])`;

const DELETE_TOKENS = `
  DELETE FROM identity.oauth_models WHERE grant_id = ANY($1::text[]) AND kind <> 'Grant' AND kind = coalesce($2, kind)
  RETURNING kind, id, expires_at AS "expiresAt"`;

const DELETE_TOKEN = `
  DELETE FROM identity.oauth_models WHERE kind = $1 AND id = $2 RETURNING kind, id, expires_at AS "expiresAt"`;

const GRANTS = `
  SELECT id AS "grantId", client_id AS "clientId", coalesce(decided_at, created_at) AS since, expires_at AS until,
    payload #>> '{openid,scope}' AS scopes, payload #>> '{rejected,openid,scope}' AS refused
  FROM identity.oauth_models
  WHERE kind = 'Grant' AND account_id = $1 AND client_id = coalesce($2, client_id) AND expires_at > now()
  ORDER BY since DESC, created_at DESC`;

const scopeList = z
  .string()
  .nullable()
  .transform((text) => text?.split(' ') ?? []);

const grants = z.array(
  z.object({
    grantId: z.string(),
    clientId: z.string(),
    since: z.date(),
    until: z.date(),
    scopes: scopeList,
    refused: scopeList,
  }),
);

const deletedRows = z.array(z.object({ kind: z.string(), id: z.string(), expiresAt: z.date() }));

/** Lists and revokes grants. Access tokens also go on the revocation list, because gateways verify them on their own. */
@Injectable()
export class GrantService {
  constructor(
    private readonly database: Database,
    private readonly transactions: CredentialTransactionService,
    private readonly revocations: RevocationsService,
  ) {}

  /** Lists a user's grants, latest decision first. @param manager of the caller's transaction, if any */
  async list(
    userId: string,
    clientId?: string,
    manager: QueryExecutor = this.database,
  ): Promise<UserGrant[]> {
    return grants.parse(await manager.query(GRANTS, [userId, clientId]));
  }

  /** Revokes a grant with all codes and tokens issued under it. */
  async revoke(grantId: string): Promise<void> {
    await this.transactions.transaction((manager) => this.revokeAll(manager, [grantId]));
  }

  /**
   * Revokes several grants. Must be the last statement of a transaction of CredentialTransactionService. For several grants
   * of one user and client the caller must hold their consent lock, because this takes one lock per grant.
   */
  async revokeAll(manager: EntityManager, grantIds: readonly string[]): Promise<void> {
    if (grantIds.length === 0) return;
    await manager.query(LOCK, [grantIds]);
    await manager.query(DELETE_GRANTS, [grantIds]);
    await this.revokeDeleted(manager, await manager.query(DELETE_TOKENS, [grantIds, null]));
  }

  /** Revokes the tokens of one kind under a grant and keeps the grant. */
  async revokeTokens(grantId: string, kind: ModelKind): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      await manager.query(LOCK, [[grantId]]);
      await this.revokeDeleted(manager, await manager.query(DELETE_TOKENS, [[grantId], kind]));
    });
  }

  async revokeToken(kind: ModelKind, id: string): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      await manager.query(LOCK, [[id]]);
      await this.revokeDeleted(manager, await manager.query(DELETE_TOKEN, [kind, id]));
    });
  }

  /** Revokes a token without a stored model, such as one that was signed while its grant was being revoked. */
  async revokeUnstored(token: TokenToRevoke): Promise<void> {
    await this.transactions.transaction((manager) => this.revocations.revoke(manager, [token]));
  }

  private async revokeDeleted(manager: EntityManager, deleted: unknown): Promise<void> {
    const tokens = deletedRows.parse(getRows(deleted)).filter(({ kind }) => kind === 'AccessToken');
    if (tokens.length > 0) await this.revocations.revoke(manager, tokens);
  }
}

/** TypeORM returns rows and a count for a DELETE. */
const getRows = (result: unknown): unknown => (Array.isArray(result) ? (result as unknown[])[0] : result);
