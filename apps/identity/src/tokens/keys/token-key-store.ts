import {
  planKeyRotation,
  type KeyRotationChanges,
  type KeyRotationPolicy,
  type RotatingKey,
  encryptAesGcm,
  decryptAesGcm,
} from '@app/common';
import type { Database } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { createKeyMaterial } from './key-material.js';
import { TOKEN_KEY_USES, type TokenKeyUse } from './token-key-use.js';

/** A key and when it is used. */
export interface StoredTokenKey extends RotatingKey {
  readonly use: TokenKeyUse;
  /** See KeyMaterial; undefined for a key that is not ours. */
  readonly bytes: Buffer | undefined;
}

const LOCK = 'gatehouse token keys';

const SELECT = `
  SELECT kid, use, sealed,
    (extract(epoch FROM signs_from) * 1000)::float8 AS "signsFrom",
    (extract(epoch FROM signs_until) * 1000)::float8 AS "signsUntil"
  FROM identity.token_keys ORDER BY signs_from, kid`;

const INSERT = `
  INSERT INTO identity.token_keys (kid, use, sealed, published_at, signs_from)
  VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000))`;

const RETIRE = `
  UPDATE identity.token_keys SET signs_until = to_timestamp($2::float8 / 1000) WHERE kid = ANY($1)`;

const rows = z.array(
  z.object({
    kid: z.string(),
    use: z.enum(TOKEN_KEY_USES),
    sealed: z.custom<Buffer>(Buffer.isBuffer),
    signsFrom: z.number().transform(Math.round),
    signsUntil: z.number().transform(Math.round).nullable(),
  }),
);

const toSealContext = (use: TokenKeyUse, kid: string) => `${use}:${kid}`;

/**
 * The keys of tokens, in PostgreSQL. Several instances may do all of this at once. Public halves are not kept: they follow
 * from what our secret opens, so that who can only write to the database brings in no key that anybody believes.
 */
export class TokenKeyStore {
  constructor(
    private readonly database: Database,
    private readonly secret: Buffer,
    private readonly policyOf: (use: TokenKeyUse) => KeyRotationPolicy,
  ) {}

  /** Makes the changes that are due at `now`, unix milliseconds. @returns every key, the oldest first */
  async rotateAndLoad(now: number): Promise<StoredTokenKey[]> {
    const keys = this.open(await this.database.query(SELECT));
    if (!TOKEN_KEY_USES.some((use) => isDue(this.changesOf(use, keys, now)))) return keys;
    return this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK]);
      // Looked at again: whoever held the lock before may have done it.
      const found = this.open(await manager.query(SELECT));
      for (const use of TOKEN_KEY_USES) await this.apply(manager, use, this.changesOf(use, found, now), now);
      return this.open(await manager.query(SELECT));
    });
  }

  private changesOf(use: TokenKeyUse, keys: readonly StoredTokenKey[], now: number): KeyRotationChanges {
    return planKeyRotation(
      keys.filter((key) => key.use === use),
      now,
      this.policyOf(use),
    );
  }

  private async apply(
    manager: EntityManager,
    use: TokenKeyUse,
    { remove, retire, create }: KeyRotationChanges,
    now: number,
  ): Promise<void> {
    await manager.query('DELETE FROM identity.token_keys WHERE kid = ANY($1)', [remove]);
    if (!create) return;
    await manager.query(RETIRE, [retire, create.othersUntil]);
    const { kid, bytes } = await createKeyMaterial(use);
    await manager.query(INSERT, [
      kid,
      use,
      encryptAesGcm(this.secret, bytes, toSealContext(use, kid)),
      now,
      create.signsFrom,
    ]);
  }

  private open(found: unknown): StoredTokenKey[] {
    return rows.parse(found).map(({ kid, use, sealed, signsFrom, signsUntil }) => {
      const bytes = decryptAesGcm(this.secret, sealed, toSealContext(use, kid));
      return { kid, use, bytes, signsFrom, signsUntil: signsUntil ?? undefined, isOurs: bytes !== undefined };
    });
  }
}

const isDue = ({ remove, create }: KeyRotationChanges) => remove.length > 0 || create !== undefined;
