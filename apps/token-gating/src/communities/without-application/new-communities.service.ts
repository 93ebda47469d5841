import { deriveKey, tooManyRequests } from '@app/common';
import { createConfigClass, opaqueTokenConfigSchema } from '@app/config';
import { Database, type Queryable, queryRows } from '@app/database';
import { ServiceContext, Sweeper, toAddressBucket } from '@app/service';
import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import { MAX_SWEEP_ROWS, SweepConfig } from '../../database/sweep.config.js';

/** Communities that the portal creates for one address of the internet, or a tenant's applications without approval, in a UTC day. */
const MAX_NEW_COMMUNITIES_PER_DAY = 20;

const counts = z.array(z.object({ retryAfter: z.int() })).max(1);

/** @returns the seconds until the day ends where it has no room for another one; undefined where this one is counted */
async function countCreation(db: Queryable, hash: Buffer): Promise<number | undefined> {
  const sql = `
    WITH today AS (SELECT (now() AT TIME ZONE 'UTC')::date AS day), counted AS (
      INSERT INTO token_gating.portal_creations AS stored (day, address_hash, count) SELECT day, $1, 1 FROM today
      ON CONFLICT (day, address_hash) DO UPDATE SET count = stored.count + 1 WHERE stored.count < $2
      RETURNING day
    )
    SELECT greatest(1, ceil(extract(epoch FROM (day + 1)::timestamp - now() AT TIME ZONE 'UTC')))::int AS "retryAfter"
    FROM today WHERE NOT EXISTS (SELECT FROM counted)`;
  return counts.parse(await queryRows(db, sql, [hash, MAX_NEW_COMMUNITIES_PER_DAY]))[0]?.retryAfter;
}

const TAKE_BACK = `
  UPDATE token_gating.portal_creations SET count = count - 1
  WHERE day = (now() AT TIME ZONE 'UTC')::date AND address_hash = $1 AND count > 0
  RETURNING day`;

const DELETE_EARLIER_DAYS = `
  DELETE FROM token_gating.portal_creations WHERE (day, address_hash) IN (
    SELECT day, address_hash FROM token_gating.portal_creations WHERE day < (now() AT TIME ZONE 'UTC')::date
    ORDER BY day LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING day`;

export class PortalAddressConfig extends createConfigClass(opaqueTokenConfigSchema) {}

/**
 * Bounds how many communities the portal creates for one address of the internet in a UTC day, over all instances, because an account
 * costs nothing but a new wallet. A network of IPv6 (/64) counts as one address. For a client application that is not approved its tenant counts instead. The table holds keyed hashes, and only those of the day.
 */
@Injectable()
export class NewCommunitiesService {
  private readonly addressKey: Buffer;
  private readonly tenantKey: Buffer;

  constructor(
    { OPAQUE_TOKEN_SECRET }: PortalAddressConfig,
    private readonly database: Database,
  ) {
    this.addressKey = deriveKey(OPAQUE_TOKEN_SECRET, 'addresses of community creators');
    this.tenantKey = deriveKey(OPAQUE_TOKEN_SECRET, 'tenants of community creators');
  }

  /** Counts one community. @throws AppError 429 at the limit */
  async count(address: string): Promise<void> {
    const retryAfter = await countCreation(this.database, this.hashAddress(address));
    if (retryAfter !== undefined)
      throw newCommunitiesLimitExceeded('from one address of the internet', retryAfter);
  }

  /** Takes one back that was counted and refused. */
  async takeBack(address: string): Promise<void> {
    await queryRows(this.database, TAKE_BACK, [this.hashAddress(address)]);
  }

  /** Counts one in the transaction that creates it through an application of the tenant without approval. @throws AppError 429 at the limit */
  async countOfTenant(manager: EntityManager, tenantId: string): Promise<void> {
    const hash = createHmac('sha256', this.tenantKey).update(tenantId).digest();
    const retryAfter = await countCreation(manager, hash);
    if (retryAfter !== undefined)
      throw newCommunitiesLimitExceeded('through a client application without approval', retryAfter);
  }

  private hashAddress(address: string): Buffer {
    return createHmac('sha256', this.addressKey).update(toAddressBucket(address)).digest();
  }
}

const newCommunitiesLimitExceeded = (origin: string, retryAfter: number) =>
  tooManyRequests(
    'new_community_limit_exceeded',
    `At most ${MAX_NEW_COMMUNITIES_PER_DAY} communities a day are created ${origin}: try again tomorrow.`,
    { retryAfter },
  );

/** Deletes the counts of earlier days. */
@Injectable()
export class NewCommunitiesSweeper extends Sweeper {
  constructor(config: SweepConfig, context: ServiceContext, database: Database) {
    const sweep = async (): Promise<boolean> =>
      (await queryRows(database, DELETE_EARLIER_DAYS, [MAX_SWEEP_ROWS])).length === MAX_SWEEP_ROWS;
    super(context, [{ name: 'delete counts of new communities', sweep }], config.SWEEP_INTERVAL_MS);
  }
}
