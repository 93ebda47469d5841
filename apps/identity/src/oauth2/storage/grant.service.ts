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

/** What a user allowed a client application to do. */
export interface UserGrant {
  readonly grantId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** What the user was asked for and refused. */
  readonly refused: readonly string[];
  /** When the user decided it, also if this is a copy for a later session. */
  readonly since: Date;
  readonly until: Date;
}

/** Those who end the same grant wait for each other, so that they never lock the same rows crosswise. */
const LOCK = `
  SELECT pg_advisory_xact_lock(hashtextextended('gatehouse grant ' || name, 0)) FROM unnest($1::text[]) AS name`;

/**
 * First and by itself: it waits for whoever issues something under the grant right now, and the statement after it sees
 * what they issued.
 */
const END_GRANTS = `DELETE FROM identity.oauth_models WHERE kind = 'Grant' AND id = ANY($1::text[])`;

const END_TOKENS = `
  DELETE FROM identity.oauth_models WHERE grant_id = ANY($1::text[]) AND kind <> 'Grant' AND kind = coalesce($2, kind)
  RETURNING kind, id, expires_at AS "expiresAt"`;

const END_TOKEN = `
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

const ended = z.array(z.object({ kind: z.string(), id: z.string(), expiresAt: z.date() }));

/** What users allowed whom, and its end: tokens that gateways take on their own are put on the list of revoked ones. */
@Injectable()
export class GrantService {
  constructor(
    private readonly database: Database,
    private readonly writes: CredentialTransactionService,
    private readonly revocations: RevocationsService,
  ) {}

  /** What was decided last first. @param manager of the transaction that asks, if one does */
  async list(
    userId: string,
    clientId?: string,
    manager: QueryExecutor = this.database,
  ): Promise<UserGrant[]> {
    return grants.parse(await manager.query(GRANTS, [userId, clientId]));
  }

  /** Ends a grant with everything that was issued under it. */
  async revoke(grantId: string): Promise<void> {
    await this.writes.transaction((manager) => this.revokeAll(manager, [grantId]));
  }

  /**
   * The same for several. Inside a transaction of CredentialWrites, once and last, and of several of one user and client
   * application only with the lock of their decisions: whoever has several locks of grants is alone with them.
   */
  async revokeAll(manager: EntityManager, grantIds: readonly string[]): Promise<void> {
    if (grantIds.length === 0) return;
    await manager.query(LOCK, [grantIds]);
    await manager.query(END_GRANTS, [grantIds]);
    await this.revokeDeleted(manager, await manager.query(END_TOKENS, [grantIds, null]));
  }

  /** Ends what of this kind was issued under a grant; the grant stays. */
  async revokeTokens(grantId: string, kind: ModelKind): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await manager.query(LOCK, [[grantId]]);
      await this.revokeDeleted(manager, await manager.query(END_TOKENS, [[grantId], kind]));
    });
  }

  async revokeToken(kind: ModelKind, id: string): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await manager.query(LOCK, [[id]]);
      await this.revokeDeleted(manager, await manager.query(END_TOKEN, [kind, id]));
    });
  }

  /** For a token that was signed while its grant ended. */
  async revokeUnstored(token: TokenToRevoke): Promise<void> {
    await this.writes.transaction((manager) => this.revocations.revoke(manager, [token]));
  }

  private async revokeDeleted(manager: EntityManager, deleted: unknown): Promise<void> {
    const tokens = ended.parse(rowsOf(deleted)).filter(({ kind }) => kind === 'AccessToken');
    if (tokens.length > 0) await this.revocations.revoke(manager, tokens);
  }
}

/** TypeORM answers a DELETE with its rows and their number. */
const rowsOf = (answer: unknown): unknown => (Array.isArray(answer) ? (answer as unknown[])[0] : answer);
