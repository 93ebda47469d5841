import { Database, queryRows } from '@app/database';
import type { TokenGatingRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Verdict } from '../../rules/verdict.js';
import type { MemberVaults } from '../../subjects/subject-addresses.js';

const LOAD = `
  SELECT user_id AS "userId", vault FROM token_gating.delegated_vaults
  WHERE community_id = $1 AND user_id = ANY ($2::text[])`;

/** The member cannot leave meanwhile. In the order of vaults, so that claims never wait for each other in a circle. */
const CLAIM = `
  WITH member AS MATERIALIZED (
    SELECT community_id, user_id FROM token_gating.community_members
    WHERE community_id = $1 AND user_id = $2 FOR KEY SHARE
  ), added AS (
    INSERT INTO token_gating.delegated_vaults (community_id, vault, user_id)
    SELECT community_id, vault, user_id FROM member, unnest($3::text[]) AS vault ORDER BY vault
    ON CONFLICT DO NOTHING RETURNING vault
  )
  SELECT vault FROM added
  UNION SELECT vault FROM token_gating.delegated_vaults
    WHERE community_id = $1 AND user_id = $2 AND vault = ANY ($3::text[])`;

const RELEASE = `
  DELETE FROM token_gating.delegated_vaults d USING unnest($2::text[], $3::text[]) AS ended (vault, user_id)
  WHERE d.community_id = $1 AND d.vault = ended.vault AND d.user_id = ended.user_id RETURNING d.vault`;

const vaultRows = z.array(z.object({ vault: z.string() }));
const memberVaultRows = z.array(z.object({ userId: z.string(), vault: z.string() }));

/** Whether any of the rules counts what vaults hold. Others cost no statement. */
const countVaults = (rules: readonly TokenGatingRule[]): boolean =>
  rules.some((rule) => 'delegations' in rule && rule.delegations !== undefined);

/**
 * Remembers for which member of a community a vault counts: for the one for whom it counted first, so that one vault never grants two
 * members. A member's vaults end when an evaluation no longer counts them, and with the membership.
 */
@Injectable()
export class DelegatedVaultsService {
  constructor(private readonly database: Database) {}

  /** The vaults of some members for one evaluation of these rules. */
  async open(
    communityId: string,
    userIds: readonly string[],
    rules: readonly TokenGatingRule[],
  ): Promise<EvaluatedVaults | undefined> {
    if (!countVaults(rules) || userIds.length === 0) return undefined;
    const known = new Map<string, string[]>(userIds.map((userId) => [userId, []]));
    const rows = memberVaultRows.parse(await queryRows(this.database, LOAD, [communityId, userIds]));
    for (const { userId, vault } of rows) known.get(userId)?.push(vault);
    return new EvaluatedVaults(this.database, communityId, known);
  }
}

/** The vaults of the members of one evaluation. Vaults that another evaluation adds meanwhile are not ended by this one. */
class EvaluatedVaults {
  private readonly counted = new Map<string, Set<string>>();

  constructor(
    private readonly database: Database,
    private readonly communityId: string,
    private readonly known: ReadonlyMap<string, readonly string[]>,
  ) {}

  find(userId: string): MemberVaults {
    return {
      known: this.known.get(userId) ?? [],
      claim: (vaults) => this.claim(userId, vaults),
    };
  }

  /** Ends the vaults that counted for no rule. Those of a member stay as long as a rule of theirs is undetermined. */
  async close(
    rules: readonly TokenGatingRule[],
    judged: readonly { readonly userId: string; readonly verdicts: readonly Verdict[] }[],
  ): Promise<void> {
    const ended = judged.flatMap(({ userId, verdicts }) => {
      const counted = this.counted.get(userId);
      const vaults = (this.known.get(userId) ?? []).filter((vault) => !counted?.has(vault));
      return vaults.length === 0 || rules.some((_, at) => isUnknown(verdicts[at]))
        ? []
        : vaults.map((vault) => ({ vault, userId }));
    });
    if (ended.length === 0) return;
    const columns = [ended.map(({ vault }) => vault), ended.map(({ userId }) => userId)];
    await queryRows(this.database, RELEASE, [this.communityId, ...columns]);
  }

  private async claim(userId: string, vaults: readonly string[]): Promise<string[]> {
    const known = this.known.get(userId) ?? [];
    const own = vaults.every((vault) => known.includes(vault))
      ? [...vaults]
      : vaultRows
          .parse(await queryRows(this.database, CLAIM, [this.communityId, userId, vaults]))
          .map(({ vault }) => vault);
    const counted = this.counted.get(userId) ?? new Set();
    for (const vault of own) counted.add(vault);
    this.counted.set(userId, counted);
    return own;
  }
}

/** A rule that cannot tell for the moment which vaults count. */
const isUnknown = (verdict: Verdict | undefined): boolean =>
  verdict?.kind === 'undetermined' && verdict.failure.code !== 'vaults_not_read';
