import { MINUTE_MS } from '@app/common';
import { type Queryable, queryRows, RowQueue } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

/** Accounts that a log names, as hashes of member_accounts. */
export interface NamedAccount {
  readonly contract: string;
  readonly hash: Buffer;
  readonly block: bigint;
}

/**
 * Notes that the members with these accounts are to be checked, in the communities with a rule of the contract.
 * @param options `finalBlock`: logs until this block need no second check. `delayMs`: until no cache of reads holds the state before the log.
 */
export async function noteMembers(
  manager: EntityManager,
  chainId: number,
  accounts: readonly NamedAccount[],
  { finalBlock, delayMs }: { readonly finalBlock: bigint; readonly delayMs: number },
): Promise<void> {
  const sql = `
    INSERT INTO token_gating.transfer_checks AS noted (chain_id, community_id, user_id, tenant_id, block, due_at)
    SELECT $1, m.community_id, m.user_id, min(c.owner_id), nullif(greatest(max(named.block), $5), $5),
      now() + $6 * interval '1 ms'
    FROM unnest($2::text[], $3::bytea[], $4::bigint[]) AS named (contract, hash, block)
    JOIN token_gating.member_accounts m ON m.account_hash = named.hash
    JOIN token_gating.community_contracts k
      ON k.community_id = m.community_id AND k.chain_id = $1 AND k.address = named.contract
    JOIN token_gating.communities c ON c.id = m.community_id AND c.suspended_at IS NULL
    GROUP BY m.community_id, m.user_id ORDER BY m.community_id, m.user_id
    ON CONFLICT (community_id, user_id, chain_id) DO UPDATE
    SET is_pending = true, block = greatest(noted.block, EXCLUDED.block), tenant_id = EXCLUDED.tenant_id,
      -- A pending check stays where it is: a stream of logs must not put it off for ever.
      due_at = CASE WHEN noted.is_pending THEN noted.due_at ELSE greatest(noted.due_at, EXCLUDED.due_at) END`;
  await queryRows(manager, sql, [
    chainId,
    accounts.map(({ contract }) => contract),
    accounts.map(({ hash }) => hash),
    accounts.map(({ block }) => block),
    finalBlock,
    delayMs,
  ]);
}

/** Makes second checks due whose blocks are final: a reorganisation that took a log away leaves no other one. */
export async function noteFinalBlocks(
  manager: EntityManager,
  chainId: number,
  finalBlock: bigint,
): Promise<void> {
  const sql = `
    UPDATE token_gating.transfer_checks SET is_pending = true, block = NULL WHERE id IN (
      SELECT id FROM token_gating.transfer_checks
      WHERE chain_id = $1 AND NOT is_pending AND block IS NOT NULL AND block <= $2
      ORDER BY block LIMIT 10000 FOR UPDATE SKIP LOCKED)`;
  await queryRows(manager, sql, [chainId, finalBlock]);
}

const queue = new RowQueue({
  table: 'token_gating.transfer_checks',
  dueAt: 'due_at',
  isWaiting: 'is_pending AND job_id IS NULL',
  turnBy: 'tenant_id',
});

const dueMembers = z.array(
  z.object({ id: z.bigint(), communityId: z.string(), userId: z.string(), chainId: z.coerce.number() }),
);
export type DueMember = z.output<typeof dueMembers>[number];

/**
 * Takes members whose checks are due, the same number of each tenant. A member whose last job has not ended is not due, so that the
 * jobs of a tenant whose checks are slow do not pile up.
 * @param intervalMs the time until the next check of each of them at the earliest
 */
export async function takeDueMembers(
  manager: EntityManager,
  limit: number,
  intervalMs: number,
): Promise<DueMember[]> {
  const columns = 'id, community_id AS "communityId", user_id AS "userId", chain_id AS "chainId"';
  return dueMembers.parse(await queue.claimInTurns(manager, { limit, leaseMs: intervalMs, columns }));
}

/** Notes the jobs that check the members that were taken, in the same transaction. */
export async function storeJobIds(
  manager: EntityManager,
  jobs: readonly { readonly id: bigint; readonly jobId: string }[],
): Promise<void> {
  const sql = `
    UPDATE token_gating.transfer_checks c SET is_pending = false, job_id = job.job_id
    FROM unnest($1::bigint[], $2::uuid[]) AS job (id, job_id) WHERE c.id = job.id`;
  await queryRows(manager, sql, [jobs.map(({ id }) => id), jobs.map(({ jobId }) => jobId)]);
}

/** Lets members be enqueued again whom a job has checked. Jobs that do not come from logs end nothing. */
export async function endChecks(db: Queryable, { jobId, communityId, userIds }: EndedChecks): Promise<void> {
  const sql = `
    UPDATE token_gating.transfer_checks SET job_id = NULL WHERE id IN (
      SELECT id FROM token_gating.transfer_checks
      WHERE community_id = $1 AND user_id = ANY($2::text[]) AND job_id = $3
      ORDER BY user_id FOR UPDATE)`;
  await queryRows(db, sql, [communityId, userIds, jobId]);
}

export interface EndedChecks {
  readonly jobId: string;
  readonly communityId: string;
  readonly userIds: readonly string[];
}

/** A job is retried for about as long; one that ended without a result is given up. */
const MAX_JOB_MS = 10 * MINUTE_MS;

/** Lets members be enqueued again whose job said nothing for MAX_JOB_MS. @returns how many, at most `limit` */
export async function releaseLostChecks(db: Queryable, limit: number): Promise<number> {
  const sql = `
    UPDATE token_gating.transfer_checks SET job_id = NULL WHERE id IN (
      SELECT id FROM token_gating.transfer_checks
      WHERE job_id IS NOT NULL AND due_at <= now() - $1 * interval '1 ms'
      ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    RETURNING id`;
  return (await queryRows(db, sql, [MAX_JOB_MS, limit])).length;
}

/** Deletes rows of members who are checked, and those whose chain has not answered for a day. @returns how many, at most `limit` */
export async function deleteDoneChecks(db: Queryable, limit: number): Promise<number> {
  const sql = `
    DELETE FROM token_gating.transfer_checks WHERE id IN (
      SELECT id FROM token_gating.transfer_checks
      WHERE NOT is_pending AND job_id IS NULL AND (block IS NULL AND due_at <= now() OR due_at <= now() - interval '1 day')
      ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    RETURNING id`;
  return (await queryRows(db, sql, [limit])).length;
}
