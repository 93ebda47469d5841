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

/** A key and the times of its use. */
export interface StoredTokenKey extends RotatingKey {
  readonly use: TokenKeyUse;
  /** See KeyMaterial; undefined for a key sealed under another secret. */
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
 * Token keys in PostgreSQL, safe for concurrent instances. Derives public keys from the decrypted private keys, so that write
 * access to the database alone cannot add a trusted key.
 */
export class TokenKeyStore {
  constructor(
    private readonly database: Database,
    private readonly secret: Buffer,
    private readonly getPolicy: (use: TokenKeyUse) => KeyRotationPolicy,
  ) {}

  /** Applies the rotation that is due at `now`, unix milliseconds. @returns every key, oldest first */
  async rotateAndLoad(now: number): Promise<StoredTokenKey[]> {
    const keys = this.parse(await this.database.query(SELECT));
    if (!TOKEN_KEY_USES.some((use) => isDue(this.planChanges(use, keys, now)))) return keys;
    return this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [LOCK]);
      // Read again: the previous lock holder may have rotated the keys already.
      const current = this.parse(await manager.query(SELECT));
      for (const use of TOKEN_KEY_USES)
        await this.apply(manager, use, this.planChanges(use, current, now), now);
      return this.parse(await manager.query(SELECT));
    });
  }

  private planChanges(use: TokenKeyUse, keys: readonly StoredTokenKey[], now: number): KeyRotationChanges {
    return planKeyRotation(
      keys.filter((key) => key.use === use),
      now,
      this.getPolicy(use),
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
    await manager.query(RETIRE, [retire, create.predecessorsSignUntil]);
    const { kid, bytes } = await createKeyMaterial(use);
    await manager.query(INSERT, [
      kid,
      use,
      encryptAesGcm(this.secret, bytes, toSealContext(use, kid)),
      now,
      create.signsFrom,
    ]);
  }

  private parse(found: unknown): StoredTokenKey[] {
    return rows.parse(found).map(({ kid, use, sealed, signsFrom, signsUntil }) => {
      const bytes = decryptAesGcm(this.secret, sealed, toSealContext(use, kid));
      return {
        kid,
        use,
        bytes,
        signsFrom,
        signsUntil: signsUntil ?? undefined,
        isDecryptable: bytes !== undefined,
      };
    });
  }
}

const isDue = ({ remove, create }: KeyRotationChanges) => remove.length > 0 || create !== undefined;
