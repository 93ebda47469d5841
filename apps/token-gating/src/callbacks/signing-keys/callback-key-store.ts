import {
  planKeyRotation,
  type KeyRotationChanges,
  type KeyRotationPolicy,
  encryptAesGcm,
  decryptAesGcm,
} from '@app/common';
import type { Database } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { type CallbackKey, generateCallbackKey, toPrivateKey } from './callback-key.js';

const ROTATION_LOCK = 'gatehouse callback keys';

const SELECT = `
  SELECT kid, x, sealed_private_key AS sealed,
    (extract(epoch FROM signs_from) * 1000)::float8 AS "signsFrom",
    (extract(epoch FROM signs_until) * 1000)::float8 AS "signsUntil"
  FROM token_gating.callback_keys ORDER BY signs_from, kid`;

const INSERT = `
  INSERT INTO token_gating.callback_keys (kid, x, sealed_private_key, published_at, signs_from)
  VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000))`;

const RETIRE = `
  UPDATE token_gating.callback_keys SET signs_until = to_timestamp($2::float8 / 1000) WHERE kid = ANY($1)`;

const rows = z.array(
  z.object({
    kid: z.string(),
    x: z.string(),
    sealed: z.custom<Buffer>(Buffer.isBuffer),
    signsFrom: z.number().transform(Math.round),
    signsUntil: z.number().transform(Math.round).nullable(),
  }),
);

/** Callback signing keys in PostgreSQL. Instances may rotate concurrently. */
export class CallbackKeyStore {
  constructor(
    private readonly database: Database,
    private readonly secret: Buffer,
    private readonly policy: KeyRotationPolicy,
  ) {}

  /** Applies the rotation due at `now`, Unix milliseconds. @returns all keys, oldest first */
  async rotateKeys(now: number): Promise<CallbackKey[]> {
    const keys = this.decrypt(await this.database.query(SELECT));
    const isDue = ({ remove, create }: KeyRotationChanges) => remove.length > 0 || create !== undefined;
    if (!isDue(planKeyRotation(keys, now, this.policy))) return keys;
    return this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [ROTATION_LOCK]);
      // Another instance may have rotated while this one waited for the lock.
      const changes = planKeyRotation(this.decrypt(await manager.query(SELECT)), now, this.policy);
      await this.apply(manager, changes, now);
      return this.decrypt(await manager.query(SELECT));
    });
  }

  private async apply(manager: EntityManager, changes: KeyRotationChanges, now: number): Promise<void> {
    await manager.query('DELETE FROM token_gating.callback_keys WHERE kid = ANY($1)', [changes.remove]);
    if (!changes.create) return;
    const { signsFrom, predecessorsSignUntil } = changes.create;
    await manager.query(RETIRE, [changes.retire, predecessorsSignUntil]);
    const { kid, x, d } = generateCallbackKey();
    const sealed = encryptAesGcm(this.secret, Buffer.from(d, 'base64url'), kid);
    await manager.query(INSERT, [kid, x, sealed, now, signsFrom]);
  }

  private decrypt(found: unknown): CallbackKey[] {
    return rows.parse(found).map(({ kid, x, sealed, signsFrom, signsUntil }) => {
      const d = decryptAesGcm(this.secret, sealed, kid);
      const privateKey = d && toPrivateKey(x, d.toString('base64url'));
      const isDecryptable = privateKey !== undefined;
      return { kid, x, signsFrom, signsUntil: signsUntil ?? undefined, isDecryptable, privateKey };
    });
  }
}
