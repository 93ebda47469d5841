import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { CredentialWrites } from '../../credentials/credential-writes.js';
import { Revocations, type TokenToRevoke } from '../../revocations/revocations.js';
import type { ModelKind } from './model-kind.js';

/** What a user allowed a client application to do. */
export interface UserGrant {
  readonly grantId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** What the user was asked for and refused. */
  readonly refused: readonly string[];
  readonly since: Date;
  readonly until: Date;
}

/** Those who end the same grant wait for each other, so that they never lock the same rows crosswise. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('gatehouse grant ' || $1, 0))`;

/**
 * First and by itself: it waits for whoever issues something under the grant right now, and the statement after it sees
 * what they issued.
 */
const END_GRANT = `DELETE FROM identity.oauth_models WHERE kind = 'Grant' AND id = $1`;

const END_TOKENS = `
  DELETE FROM identity.oauth_models WHERE grant_id = $1 AND kind <> 'Grant' AND kind = coalesce($2, kind)
  RETURNING kind, id, expires_at AS "expiresAt"`;

const END_TOKEN = `
  DELETE FROM identity.oauth_models WHERE kind = $1 AND id = $2 RETURNING kind, id, expires_at AS "expiresAt"`;

const GRANTS = `
  SELECT id AS "grantId", client_id AS "clientId", created_at AS since, expires_at AS until,
    payload #>> '{openid,scope}' AS scopes, payload #>> '{rejected,openid,scope}' AS refused
  FROM identity.oauth_models
  WHERE kind = 'Grant' AND account_id = $1 AND client_id = coalesce($2, client_id) AND expires_at > now()
  ORDER BY created_at DESC`;

/** Every session has a grant of its own: whoever takes one back means all that the client application has. */
const SAME_CLIENT = `
  SELECT id FROM identity.oauth_models
  WHERE kind = 'Grant' AND account_id = $2 AND client_id = (
    SELECT client_id FROM identity.oauth_models WHERE kind = 'Grant' AND id = $1 AND account_id = $2
  )`;

const ids = z.array(z.object({ id: z.string() }));

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
export class Grants {
  constructor(
    private readonly database: Database,
    private readonly writes: CredentialWrites,
    private readonly revocations: Revocations,
  ) {}

  /** The newest first. */
  async of(userId: string, clientId?: string): Promise<UserGrant[]> {
    return grants.parse(await this.database.query(GRANTS, [userId, clientId]));
  }

  /** Takes back all that this user allowed the client application of this grant. Of another user's nothing happens. */
  async revoke(userId: string, grantId: string): Promise<void> {
    const same = ids.parse(await this.database.query(SAME_CLIENT, [grantId, userId]));
    for (const { id } of same) await this.end(id);
  }

  /** Ends a grant with everything that was issued under it. */
  async end(grantId: string): Promise<void> {
    await this.ending(grantId, async (manager) => {
      await manager.query(END_GRANT, [grantId]);
      return manager.query(END_TOKENS, [grantId, null]);
    });
  }

  /** Ends what of this kind was issued under a grant; the grant stays. */
  async endTokens(grantId: string, kind: ModelKind): Promise<void> {
    await this.ending(grantId, (manager) => manager.query(END_TOKENS, [grantId, kind]));
  }

  async endToken(kind: ModelKind, id: string): Promise<void> {
    await this.ending(id, (manager) => manager.query(END_TOKEN, [kind, id]));
  }

  /** For a token that was signed while its grant ended. */
  async bornDead(token: TokenToRevoke): Promise<void> {
    await this.writes.transaction((manager) => this.revocations.revoke(manager, [token]));
  }

  private async ending(name: string, end: (manager: EntityManager) => Promise<unknown>): Promise<void> {
    await this.writes.transaction(async (manager) => {
      await manager.query(LOCK, [name]);
      const rows = ended.parse(rowsOf(await end(manager)));
      const tokens = rows.filter(({ kind }) => kind === 'AccessToken');
      if (tokens.length > 0) await this.revocations.revoke(manager, tokens);
    });
  }
}

/** TypeORM answers a DELETE with its rows and their number. */
const rowsOf = (answer: unknown): unknown => (Array.isArray(answer) ? (answer as unknown[])[0] : answer);
