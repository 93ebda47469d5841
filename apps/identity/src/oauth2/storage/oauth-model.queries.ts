import { createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { getGraceSeconds, type ModelKind } from './model-kind.js';

/** A model without its secrets, ready to store. */
export interface StoredModel {
  readonly id: string;
  readonly grantId: string | undefined;
  readonly clientId: string | undefined;
  readonly accountId: string | undefined;
  /** Sessions only: the public identifier, because the session id is a credential. */
  readonly uid: string | undefined;
  readonly payload: object;
  readonly lifetimeSeconds: number;
}

export interface FoundModel {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Unix seconds. Undefined during the grace period, too, while a consumed model may be reused. */
  readonly consumed: number | undefined;
}

const COLUMNS = 'kind, id, grant_id, client_id, account_id, uid, payload, expires_at';
const VALUES = '$1, $2, $3, $4, $5, $6, $7::jsonb, now() + make_interval(secs => $8)';

/** Keeps a session unchanged if `clearSessionAccount` removed its account after the caller read it. */
const SAVE = `
  INSERT INTO identity.oauth_models (${COLUMNS}) VALUES (${VALUES})
  ON CONFLICT (kind, id) DO UPDATE SET grant_id = excluded.grant_id, client_id = excluded.client_id,
    account_id = excluded.account_id, uid = excluded.uid, payload = excluded.payload, expires_at = excluded.expires_at
  WHERE oauth_models.account_id IS NOT DISTINCT FROM excluded.account_id`;

/** The row lock on the grant serializes this with the grant's revocation. */
const INSERT_UNDER_GRANT = `
  INSERT INTO identity.oauth_models (${COLUMNS})
  SELECT ${VALUES} FROM identity.oauth_models AS granted
  WHERE granted.kind = 'Grant' AND granted.id = $3 FOR KEY SHARE
  RETURNING id`;

/** One row per existing model, with its position (from 1) in the request. */
const FIND = `
  SELECT requested.position::int, payload,
    CASE WHEN consumed_at <= now() - make_interval(secs => requested.grace)
      THEN extract(epoch FROM consumed_at)::int END AS consumed
  FROM unnest($1::text[], $2::text[], $3::int[]) WITH ORDINALITY AS requested (kind, id, grace, position)
  JOIN identity.oauth_models AS model ON model.kind = requested.kind AND model.id = requested.id`;

const FIND_SESSION = `
  SELECT 1 AS position, payload, NULL AS consumed FROM identity.oauth_models WHERE kind = 'Session' AND uid = $1
  ORDER BY created_at DESC LIMIT 1`;

/** Compares times only with a grace period: a concurrent transaction's \`now()\` may be earlier than the stored time. */
const CONSUME = `
  UPDATE identity.oauth_models SET consumed_at = coalesce(consumed_at, now())
  WHERE kind = $1 AND id = $2
    AND (consumed_at IS NULL OR $3 > 0 AND consumed_at > now() - make_interval(secs => $3))
  RETURNING id`;

const DELETE = 'DELETE FROM identity.oauth_models WHERE kind = $1 AND id = $2';

const CLEAR_SESSION_ACCOUNT = `
  UPDATE identity.oauth_models SET payload = payload - 'accountId' - 'authorizations' - 'loginTs', account_id = NULL
  WHERE kind = 'Session' AND uid = $1`;

const MAX_SWEPT_ROWS = 1_000;

/** Keeps rows for a minute after their expiry, because clocks differ. */
const DELETE_EXPIRED = `
  DELETE FROM identity.oauth_models WHERE (kind, id) IN (
    SELECT kind, id FROM identity.oauth_models WHERE expires_at < now() - interval '1 minute'
    ORDER BY expires_at LIMIT ${MAX_SWEPT_ROWS} FOR UPDATE SKIP LOCKED
  )
  RETURNING 1`;

const modelRows = z.array(
  z.object({
    position: z.int(),
    payload: z.record(z.string(), z.unknown()),
    consumed: z
      .int()
      .nullable()
      .transform((at) => at ?? undefined),
  }),
);

interface ModelKey {
  readonly kind: ModelKind;
  readonly id: string;
}

/** Statements on single models in `oauth_models`. */
@Injectable()
export class OAuthModelQueries {
  private readonly reads = createBatcher((keys: readonly ModelKey[]) => this.findAll(keys));

  constructor(private readonly database: Database) {}

  async save(kind: ModelKind, model: StoredModel): Promise<void> {
    await this.database.query(SAVE, toRow(kind, model));
  }

  /** @returns false, without storing the model, if its grant no longer exists */
  async insertUnderGrant(kind: ModelKind, model: StoredModel): Promise<boolean> {
    return (await this.database.query(INSERT_UNDER_GRANT, toRow(kind, model))).length > 0;
  }

  find(kind: ModelKind, id: string): Promise<FoundModel | undefined> {
    return this.reads.load({ kind, id });
  }

  async findSessionByUid(uid: string): Promise<FoundModel | undefined> {
    return modelRows.parse(await this.database.query(FIND_SESSION, [uid]))[0];
  }

  /** @returns whether the model may be used. Only one of several concurrent calls succeeds, apart from the grace period. */
  async consume(kind: ModelKind, id: string): Promise<boolean> {
    return (await this.database.query(CONSUME, [kind, id, getGraceSeconds(kind)])).length > 0;
  }

  async delete(kind: ModelKind, id: string): Promise<void> {
    await this.database.query(DELETE, [kind, id]);
  }

  /** Signs the session's user out but keeps the session. */
  async clearSessionAccount(sessionUid: string): Promise<void> {
    await this.database.query(CLEAR_SESSION_ACCOUNT, [sessionUid]);
  }

  /** Deletes a batch of expired models. @returns whether more may exist */
  async deleteExpired(): Promise<boolean> {
    return (await this.database.query(DELETE_EXPIRED)).length === MAX_SWEPT_ROWS;
  }

  private async findAll(keys: readonly ModelKey[]): Promise<(FoundModel | undefined)[]> {
    const columns = [
      keys.map(({ kind }) => kind),
      keys.map(({ id }) => id),
      keys.map(({ kind }) => getGraceSeconds(kind)),
    ];
    const rows = modelRows.parse(await this.database.query(FIND, columns));
    const byPosition = new Map(rows.map((row) => [row.position, row]));
    return keys.map((_, index) => byPosition.get(index + 1));
  }
}

const toRow = (kind: ModelKind, model: StoredModel): unknown[] => [
  kind,
  model.id,
  model.grantId,
  model.clientId,
  model.accountId,
  model.uid,
  JSON.stringify(model.payload),
  model.lifetimeSeconds,
];
