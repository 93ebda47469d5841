import { createBatcher } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { getGraceSeconds, type ModelKind } from './model-kind.js';

/** A model as it is stored: no secret stands in it. */
export interface StoredModel {
  readonly id: string;
  readonly grantId: string | undefined;
  readonly clientId: string | undefined;
  readonly accountId: string | undefined;
  /** Of sessions: what names them where their id would be too much to tell. */
  readonly uid: string | undefined;
  readonly payload: object;
  readonly lifetimeSeconds: number;
}

export interface FoundModel {
  readonly payload: Readonly<Record<string, unknown>>;
  /** Unix seconds; undefined too while what was used once may be used once more. */
  readonly consumed: number | undefined;
}

const COLUMNS = 'kind, id, grant_id, client_id, account_id, uid, payload, expires_at';
const VALUES = '$1, $2, $3, $4, $5, $6, $7::jsonb, now() + make_interval(secs => $8)';

/** By a login a session gets a new id. Who saves one under its old id may not know that its user was forgotten meanwhile. */
const SAVE = `
  INSERT INTO identity.oauth_models (${COLUMNS}) VALUES (${VALUES})
  ON CONFLICT (kind, id) DO UPDATE SET grant_id = excluded.grant_id, client_id = excluded.client_id,
    account_id = excluded.account_id, uid = excluded.uid, payload = excluded.payload, expires_at = excluded.expires_at
  WHERE oauth_models.account_id IS NOT DISTINCT FROM excluded.account_id`;

/** The lock on the grant makes this and the grant's end happen one after the other. */
const ISSUE = `
  INSERT INTO identity.oauth_models (${COLUMNS})
  SELECT ${VALUES} FROM identity.oauth_models AS granted
  WHERE granted.kind = 'Grant' AND granted.id = $3 FOR KEY SHARE
  RETURNING id`;

/** One row for each pair that is there. `place` is where it was asked for. */
const FIND = `
  SELECT asked.place::int, payload,
    CASE WHEN consumed_at <= now() - make_interval(secs => asked.grace)
      THEN extract(epoch FROM consumed_at)::int END AS consumed
  FROM unnest($1::text[], $2::text[], $3::int[]) WITH ORDINALITY AS asked (kind, id, grace, place)
  JOIN identity.oauth_models AS model ON model.kind = asked.kind AND model.id = asked.id`;

const FIND_SESSION = `
  SELECT 1 AS place, payload, NULL AS consumed FROM identity.oauth_models WHERE kind = 'Session' AND uid = $1
  ORDER BY created_at DESC LIMIT 1`;

/** Times are compared only where there is a grace: a racer's own \`now()\` may be the earlier one. */
const CONSUME = `
  UPDATE identity.oauth_models SET consumed_at = coalesce(consumed_at, now())
  WHERE kind = $1 AND id = $2
    AND (consumed_at IS NULL OR $3 > 0 AND consumed_at > now() - make_interval(secs => $3))
  RETURNING id`;

const REMOVE = 'DELETE FROM identity.oauth_models WHERE kind = $1 AND id = $2';

const FORGET_ACCOUNT = `
  UPDATE identity.oauth_models SET payload = payload - 'accountId' - 'authorizations' - 'loginTs', account_id = NULL
  WHERE kind = 'Session' AND uid = $1`;

const found = z.array(
  z.object({
    /** From one. */
    place: z.int(),
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

/** The table of models, one statement for each thing that is done with them. */
@Injectable()
export class OAuthModelQueries {
  private readonly reads = createBatcher((asked: readonly ModelKey[]) => this.findAll(asked));

  constructor(private readonly database: Database) {}

  async save(kind: ModelKind, model: StoredModel): Promise<void> {
    await this.database.query(SAVE, toRow(kind, model));
  }

  /** @returns whether the grant that it belongs to was still there; otherwise nothing was stored */
  async insertUnderGrant(kind: ModelKind, model: StoredModel): Promise<boolean> {
    return (await this.database.query(ISSUE, toRow(kind, model))).length > 0;
  }

  find(kind: ModelKind, id: string): Promise<FoundModel | undefined> {
    return this.reads.load({ kind, id });
  }

  async findSessionByUid(uid: string): Promise<FoundModel | undefined> {
    return found.parse(await this.database.query(FIND_SESSION, [uid]))[0];
  }

  /** @returns whether it was there to be used; of many at once one hears yes */
  async consume(kind: ModelKind, id: string): Promise<boolean> {
    return (await this.database.query(CONSUME, [kind, id, getGraceSeconds(kind)])).length > 0;
  }

  async delete(kind: ModelKind, id: string): Promise<void> {
    await this.database.query(REMOVE, [kind, id]);
  }

  /** Whoever was signed in to this session is not any more. */
  async clearSessionAccount(sessionUid: string): Promise<void> {
    await this.database.query(FORGET_ACCOUNT, [sessionUid]);
  }

  private async findAll(asked: readonly ModelKey[]): Promise<(FoundModel | undefined)[]> {
    const columns = [
      asked.map(({ kind }) => kind),
      asked.map(({ id }) => id),
      asked.map(({ kind }) => getGraceSeconds(kind)),
    ];
    const rows = found.parse(await this.database.query(FIND, columns));
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return asked.map((_, index) => byPlace.get(index + 1));
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
