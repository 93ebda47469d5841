import { decryptAesGcm, encryptAesGcm } from '@app/common';
import { type Database, lockTransaction, type Queryable, queryRows } from '@app/database';
import { z } from 'zod';
import {
  type KeyRotationChanges,
  type KeyRotationPolicy,
  planKeyRotation,
  type RotatingKey,
} from './key-rotation.js';

/** A table of keys. Its other columns are kid, published_at, signs_from and signs_until. */
export interface KeyTable {
  readonly name: string;
  /** Column of the encrypted key. */
  readonly sealed: string;
  /** Column of the use, where keys have several uses. */
  readonly use?: string;
  /** Column of the public key, where it is published by instances that cannot decrypt the key, too. */
  readonly publicKey?: string;
}

export interface NewKey {
  readonly kid: string;
  /** Encrypted in the table. */
  readonly bytes: Buffer;
  readonly publicKey?: string;
}

/** A key and the times of its use. */
export interface StoredKey<Use extends string> extends RotatingKey {
  readonly use: Use;
  /** Undefined for a key that is encrypted under another secret. */
  readonly bytes: Buffer | undefined;
  readonly publicKey: string | undefined;
}

export interface KeyStoreOptions<Use extends string> {
  readonly table: KeyTable;
  /** Name of the lock that concurrent rotations wait for. */
  readonly lock: string;
  /** AES-256 key that encrypts the keys. */
  readonly secret: Buffer;
  /** Each use has keys of its own. Without a column of the use there is one. */
  readonly uses: readonly [Use, ...Use[]];
  readonly getPolicy: (use: Use) => KeyRotationPolicy;
  readonly createKey: (use: Use) => NewKey | Promise<NewKey>;
  /** Binds an encrypted key to its row. */
  readonly toSealContext: (use: Use, kid: string) => string;
}

/** Rotating keys in PostgreSQL, encrypted at rest. Instances may rotate them concurrently. */
export class KeyStore<Use extends string> {
  private readonly select: string;
  private readonly rows;

  constructor(
    private readonly database: Database,
    private readonly options: KeyStoreOptions<Use>,
  ) {
    const { table, uses } = options;
    this.select = `
      SELECT kid, ${table.use ?? `'${uses[0]}'`} AS use, ${table.sealed} AS sealed,
        ${table.publicKey ?? 'NULL'} AS "publicKey",
        (extract(epoch FROM signs_from) * 1000)::float8 AS "signsFrom",
        (extract(epoch FROM signs_until) * 1000)::float8 AS "signsUntil"
      FROM ${table.name} ORDER BY signs_from, kid`;
    this.rows = z.array(
      z.object({
        kid: z.string(),
        use: z.enum(uses),
        sealed: z.custom<Buffer>(Buffer.isBuffer),
        publicKey: z.string().nullable(),
        signsFrom: z.number().transform(Math.round),
        signsUntil: z.number().transform(Math.round).nullable(),
      }),
    );
  }

  /** Applies the rotation that is due at `now`, Unix milliseconds. @returns every key, oldest first */
  async rotateAndLoad(now: number): Promise<StoredKey<Use>[]> {
    const { uses, lock } = this.options;
    const keys = await this.load(this.database);
    if (!uses.some((use) => isDue(this.planChanges(use, keys, now)))) return keys;
    return this.database.transaction(async (manager) => {
      await lockTransaction(manager, lock);
      // Read again: the previous lock holder may have rotated the keys already.
      const current = await this.load(manager);
      for (const use of uses) await this.apply(manager, use, this.planChanges(use, current, now), now);
      return this.load(manager);
    });
  }

  private planChanges(use: Use, keys: readonly StoredKey<Use>[], now: number): KeyRotationChanges {
    const ofUse = keys.filter((key) => key.use === use);
    return planKeyRotation(ofUse, now, this.options.getPolicy(use));
  }

  private async apply(
    db: Queryable,
    use: Use,
    { remove, retire, create }: KeyRotationChanges,
    now: number,
  ): Promise<void> {
    const { name } = this.options.table;
    await queryRows(db, `DELETE FROM ${name} WHERE kid = ANY($1)`, [remove]);
    if (!create) return;
    const retireSql = `UPDATE ${name} SET signs_until = to_timestamp($2::float8 / 1000) WHERE kid = ANY($1)`;
    await queryRows(db, retireSql, [retire, create.predecessorsSignUntil]);
    await this.insert(db, use, [now, create.signsFrom]);
  }

  private async insert(db: Queryable, use: Use, times: readonly [number, number]): Promise<void> {
    const { table, secret, createKey, toSealContext } = this.options;
    const { kid, bytes, publicKey } = await createKey(use);
    const columns = {
      kid,
      [table.sealed]: encryptAesGcm(secret, bytes, toSealContext(use, kid)),
      ...(table.use !== undefined && { [table.use]: use }),
      ...(table.publicKey !== undefined && { [table.publicKey]: publicKey }),
    };
    const names = Object.keys(columns);
    await queryRows(
      db,
      `INSERT INTO ${table.name} (published_at, signs_from, ${names.join(', ')})
       VALUES (to_timestamp($1::float8 / 1000), to_timestamp($2::float8 / 1000),
         ${names.map((_, index) => `$${index + 3}`).join(', ')})`,
      [...times, ...Object.values(columns)],
    );
  }

  private async load(db: Queryable): Promise<StoredKey<Use>[]> {
    const { secret, toSealContext } = this.options;
    return this.rows
      .parse(await queryRows(db, this.select))
      .map(({ sealed, signsUntil, publicKey, ...key }) => {
        const bytes = decryptAesGcm(secret, sealed, toSealContext(key.use, key.kid));
        const isDecryptable = bytes !== undefined;
        return {
          ...key,
          bytes,
          isDecryptable,
          publicKey: publicKey ?? undefined,
          signsUntil: signsUntil ?? undefined,
        };
      });
  }
}

const isDue = ({ remove, create }: KeyRotationChanges) => remove.length > 0 || create !== undefined;
