import { type Queryable, queryRows } from '@app/database';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';
import type { ContractOfRule } from '../../rules/watched-contracts.js';

/**
 * Stores the contracts of the rules of a community. The caller's transaction has locked the community, or has written its rules.
 * @returns how many contracts the community did not have before
 */
export async function storeCommunityContracts(
  manager: EntityManager,
  communityId: string,
  contracts: readonly ContractOfRule[],
): Promise<number> {
  const sql = `
    WITH wanted AS (
      SELECT * FROM unnest($2::bigint[], $3::text[]) AS contract (chain_id, address)
    ), gone AS (
      DELETE FROM token_gating.community_contracts c WHERE community_id = $1
        AND NOT EXISTS (SELECT FROM wanted w WHERE w.chain_id = c.chain_id AND w.address = c.address)
    )
    INSERT INTO token_gating.community_contracts (community_id, chain_id, address)
    SELECT $1, chain_id, address FROM wanted ON CONFLICT DO NOTHING RETURNING address`;
  const chainIds = contracts.map(({ chainId }) => chainId);
  const addresses = contracts.map(({ address }) => address);
  return (await queryRows(manager, sql, [communityId, chainIds, addresses])).length;
}

const outdatedCommunities = z.array(
  z.object({ id: z.string(), isWithoutApplication: z.boolean(), rules: z.array(z.unknown()) }),
);

/**
 * Takes communities whose rules were written without their contracts, by an earlier release or with another revision, in the order of ids. The
 * caller stores the contracts in the same transaction, or leaves the community to a later release.
 */
export async function takeOutdatedCommunities(
  manager: EntityManager,
  { after, limit }: { readonly after: string; readonly limit: number },
) {
  const sql = `
    WITH taken AS (
      UPDATE token_gating.communities SET contracts_revision = rules_revision WHERE id IN (
        SELECT id FROM token_gating.communities
        WHERE contracts_revision <> rules_revision AND (contracts_revision > 0 OR rules <> '[]') AND id > $1
        ORDER BY id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
      RETURNING id, without_application, rules
    )
    SELECT id, without_application AS "isWithoutApplication", rules FROM taken ORDER BY id`;
  return outdatedCommunities.parse(await queryRows(manager, sql, [after, limit]));
}

/** Leaves communities that were taken, and whose rules cannot be parsed, to a release that can. */
export async function leaveOutdated(manager: EntityManager, communityIds: readonly string[]): Promise<void> {
  const sql = 'UPDATE token_gating.communities SET contracts_revision = 0 WHERE id = ANY($1::text[])';
  await queryRows(manager, sql, [communityIds]);
}

/** Has all members of these communities checked once. */
export async function scheduleChecksNow(db: Queryable, communityIds: readonly string[]): Promise<void> {
  await queryRows(
    db,
    `UPDATE token_gating.communities SET next_check_at = least(next_check_at, now()) WHERE id IN (
       SELECT id FROM token_gating.communities WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE)`,
    [communityIds],
  );
}

/** Why the transfers of a contract are not followed for a while. */
export const POLLED_REASONS = ['too_many_contracts', 'too_many_logs', 'logs_refused'] as const;
export type PolledReason = (typeof POLLED_REASONS)[number];

const polledContracts = z.array(
  z.object({
    chainId: z.coerce.number(),
    contractAddress: z.string(),
    reason: z.enum(POLLED_REASONS),
    until: z.date().transform((time) => time.toISOString()),
  }),
);
export type PolledContract = z.output<typeof polledContracts>[number];

/** Contracts of the rules of a community whose transfers are not followed for a while. */
export async function listPolledContracts(db: Queryable, communityId: string): Promise<PolledContract[]> {
  const sql = `
    SELECT p.chain_id AS "chainId", p.address AS "contractAddress", p.reason, p.polled_until AS "until"
    FROM token_gating.community_contracts c
    JOIN token_gating.polled_contracts p ON p.chain_id = c.chain_id AND p.address = c.address
    WHERE c.community_id = $1 AND p.polled_until > now() ORDER BY p.chain_id, p.address LIMIT 500`;
  return polledContracts.parse(await queryRows(db, sql, [communityId]));
}
