import { MINUTE_MS } from '@app/common';
import { type Queryable, queryRows } from '@app/database';
import type { WatchedContract } from '@app/chain/evm';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { PolledReason } from '../../communities/rules/community-contracts.queries.js';

/** The lease of a chain in the hands of one instance. */
export interface WatcherLease {
  readonly chainId: number;
  /** Id of the instance. */
  readonly holder: string;
}

/** The lease has passed, and may be another instance's. */
export class WatcherLeaseLostError extends Error {
  override readonly name = 'WatcherLeaseLostError';
}

/**
 * While nobody followed a chain for longer, because the watcher was off or the chain had no node, members may have been checked without their
 * accounts being stored. A restart is shorter.
 */
const MAX_PAUSE_MS = 5 * MINUTE_MS;

/**
 * Takes the lease or renews it. A chain that nobody has followed for MAX_PAUSE_MS loses its position, as if it were followed for the first time.
 * @returns false while another instance holds it
 */
export async function acquireLease(
  db: Queryable,
  { chainId, holder }: WatcherLease,
  leaseMs: number,
): Promise<boolean> {
  const sql = `
    INSERT INTO token_gating.transfer_watchers AS watcher (chain_id, holder, leased_until)
    VALUES ($1, $2, clock_timestamp() + $3 * interval '1 ms')
    ON CONFLICT (chain_id) DO UPDATE SET holder = EXCLUDED.holder, leased_until = EXCLUDED.leased_until,
      position = CASE WHEN watcher.leased_until > clock_timestamp() - $4 * interval '1 ms' THEN watcher.position END
    WHERE watcher.holder = EXCLUDED.holder OR watcher.leased_until <= clock_timestamp()
    RETURNING chain_id`;
  return (await queryRows(db, sql, [chainId, holder, leaseMs, MAX_PAUSE_MS])).length > 0;
}

/** Lets another instance go on at once. */
export async function releaseLease(db: Queryable, { chainId, holder }: WatcherLease): Promise<void> {
  const sql = `
    UPDATE token_gating.transfer_watchers SET leased_until = clock_timestamp()
    WHERE chain_id = $1 AND holder = $2`;
  await queryRows(db, sql, [chainId, holder]);
}

const positions = z.tuple([
  z.object({ position: z.bigint().nullable(), keyId: z.instanceof(Uint8Array).nullable() }),
]);

/** Holds the lease until the end of the transaction. @throws WatcherLeaseLostError */
export async function holdLease(manager: EntityManager, { chainId, holder }: WatcherLease): Promise<void> {
  const sql = `
    SELECT chain_id FROM token_gating.transfer_watchers
    WHERE chain_id = $1 AND holder = $2 AND leased_until > clock_timestamp() FOR UPDATE`;
  const rows = await queryRows(manager, sql, [chainId, holder]);
  if (rows.length === 0) throw new WatcherLeaseLostError(`lost the logs of chain ${chainId}`);
}

/** How far the logs of a chain have been followed, and by which key accounts were hashed then. */
export async function loadPosition(db: Queryable, chainId: number) {
  const sql = `
    SELECT position, key_id AS "keyId" FROM token_gating.transfer_watchers WHERE chain_id = $1`;
  return positions.parse(await queryRows(db, sql, [chainId]))[0];
}

export async function storePosition(
  manager: EntityManager,
  chainId: number,
  { position, keyId }: { readonly position: bigint; readonly keyId: Buffer },
): Promise<void> {
  const sql = 'UPDATE token_gating.transfer_watchers SET position = $2, key_id = $3 WHERE chain_id = $1';
  await queryRows(manager, sql, [chainId, position, keyId]);
}

const existence = z.tuple([z.object({ hasContracts: z.boolean() })]);

/** Whether a rule has a contract on the chain: a look at an idle chain costs no more. */
export async function hasContracts(db: Queryable, chainId: number): Promise<boolean> {
  const sql = `
    SELECT EXISTS (SELECT FROM token_gating.community_contracts WHERE chain_id = $1) AS "hasContracts"`;
  return existence.parse(await queryRows(db, sql, [chainId]))[0].hasContracts;
}

/** Contracts that one statement has polled. A tenant may name any number of contracts beyond its limit. */
const MAX_EXCESS = 1_000;

const rankedContracts = z.array(
  z.object({ address: z.string(), owner: z.string().nullable(), isWithinLimits: z.boolean() }),
);

export interface ContractsOfChain {
  readonly watched: readonly WatchedContract[];
  /** Contracts beyond the limits, at most MAX_EXCESS: once these are polled, others are listed. */
  readonly excess: readonly string[];
}

/**
 * Lists the contracts of a chain whose logs are to be followed. A contract of several tenants counts where it ranks highest, so that nobody
 * pushes another tenant's contract out.
 */
export async function listContracts(
  db: Queryable,
  chainId: number,
  limits: { readonly perTenant: number; readonly total: number },
): Promise<ContractsOfChain> {
  const sql = `
    WITH owned AS (
      SELECT DISTINCT k.address, c.owner_id FROM token_gating.community_contracts k
      JOIN token_gating.communities c ON c.id = k.community_id
      WHERE k.chain_id = $1 AND c.suspended_at IS NULL AND c.member_count > 0
    ), ranked AS (
      SELECT address, owner_id, row_number() OVER (PARTITION BY owner_id ORDER BY address) AS rank FROM owned
    ), contracts AS (
      SELECT address, min(rank) AS rank, CASE WHEN count(*) = 1 THEN min(owner_id) END AS owner
      FROM ranked GROUP BY address
    )
    SELECT address, owner, rank <= $2 AND row_number() OVER (ORDER BY rank, address) <= $3 AS "isWithinLimits"
    FROM contracts
    WHERE NOT EXISTS (SELECT FROM token_gating.polled_contracts p
      WHERE p.chain_id = $1 AND p.address = contracts.address AND p.polled_until > now())
    ORDER BY "isWithinLimits" DESC, address LIMIT $3::int + $4::int`;
  const parameters = [chainId, limits.perTenant, limits.total, MAX_EXCESS];
  const rows = rankedContracts.parse(await queryRows(db, sql, parameters));
  return {
    watched: rows.flatMap(({ address, owner, isWithinLimits }) =>
      isWithinLimits ? [{ address, owner: owner ?? undefined }] : [],
    ),
    excess: rows.flatMap(({ address, isWithinLimits }) => (isWithinLimits ? [] : [address])),
  };
}

/** Stops following the logs of contracts for a while: their rules are polled, as other rules are. */
export async function pollContracts(
  db: Queryable,
  chainId: number,
  addresses: readonly string[],
  { reason, forMs }: { readonly reason: PolledReason; readonly forMs: number },
): Promise<void> {
  if (addresses.length === 0) return;
  const sql = `
    INSERT INTO token_gating.polled_contracts (chain_id, address, reason, polled_until)
    SELECT $1, address, $3, now() + $4 * interval '1 ms' FROM unnest($2::text[]) AS contract (address)
    ORDER BY address
    ON CONFLICT (chain_id, address) DO UPDATE
    SET reason = EXCLUDED.reason, since = now(), polled_until = EXCLUDED.polled_until`;
  await queryRows(db, sql, [chainId, addresses, reason, forMs]);
}

const counts = z.tuple([z.object({ count: z.int() })]);

export async function countPolledContracts(db: Queryable, chainId: number): Promise<number> {
  const sql = `
    SELECT count(*)::int AS count FROM token_gating.polled_contracts p
    WHERE chain_id = $1 AND polled_until > now() AND EXISTS (SELECT FROM token_gating.community_contracts k
      WHERE k.chain_id = p.chain_id AND k.address = p.address)`;
  return counts.parse(await queryRows(db, sql, [chainId]))[0].count;
}

/** Has all members of the communities with contracts on a chain checked once: what happened there is not known. */
export async function scheduleChecksOfChain(manager: EntityManager, chainId: number): Promise<void> {
  const sql = `
    UPDATE token_gating.communities SET next_check_at = least(next_check_at, now()) WHERE id IN (
      SELECT c.id FROM token_gating.communities c WHERE EXISTS (
        SELECT FROM token_gating.community_contracts k WHERE k.chain_id = $1 AND k.community_id = c.id)
      ORDER BY c.id FOR NO KEY UPDATE)`;
  await queryRows(manager, sql, [chainId]);
}

/** @returns how many rows of contracts that ended being polled long ago were deleted, at most `limit` */
export async function deleteOldPolledContracts(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.polled_contracts WHERE (chain_id, address) IN (
      SELECT chain_id, address FROM token_gating.polled_contracts
      WHERE polled_until < now() - interval '1 day' LIMIT $1 FOR UPDATE SKIP LOCKED)
    RETURNING address`;
  return (await queryRows(db, sql, [limit])).length;
}
