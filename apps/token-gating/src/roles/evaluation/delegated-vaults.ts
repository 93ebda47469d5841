import { Database, queryRows } from '@app/database';
import type { TokenGatingRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { areUnreadVaults } from '../../checks/judge-condition.js';
import type { Verdict } from '../../rules/verdict.js';
import type { MemberVaults } from '../../subjects/subject-addresses.js';

const LOAD = `
  SELECT user_id AS "userId", vault FROM token_gating.delegated_vaults
  WHERE community_id = $1 AND user_id = ANY ($2::text[]) ORDER BY vault`;

/** The member cannot leave meanwhile. In the order of vaults, so that claims never wait for each other in a circle. */
const CLAIM = `
  WITH member AS MATERIALIZED (
    SELECT community_id, user_id FROM token_gating.community_members
    WHERE community_id = $1 AND user_id = $2 FOR KEY SHARE
  )
  INSERT INTO token_gating.delegated_vaults (community_id, vault, user_id)
  SELECT community_id, vault, user_id FROM member, unnest($3::text[]) AS vault ORDER BY vault
  ON CONFLICT DO NOTHING`;

/** A statement of its own sees the row that another claim of the member has added while the first one waited. */
const FIND_OWN = `
  SELECT vault FROM token_gating.delegated_vaults
  WHERE community_id = $1 AND user_id = $2 AND vault = ANY ($3::text[])`;

const RELEASE = `
  DELETE FROM token_gating.delegated_vaults d USING unnest($2::text[], $3::text[]) AS ended (vault, user_id)
  WHERE d.community_id = $1 AND d.vault = ended.vault AND d.user_id = ended.user_id RETURNING d.vault`;

const vaultRows = z.array(z.object({ vault: z.string() }));
const memberVaultRows = z.array(z.object({ userId: z.string(), vault: z.string() }));

const countsVaults = (rule: TokenGatingRule): boolean =>
  'delegations' in rule && rule.delegations !== undefined;

/**
 * Remembers for which member of a community a vault counts: for the one for whom it counted first, so that one vault never grants two
 * members. A member's vaults end when the registry denies them, and with the membership. Rules that count no vaults cost no statement.
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
    if (!rules.some(countsVaults) || userIds.length === 0) return undefined;
    const known = new Map<string, string[]>(userIds.map((userId) => [userId, []]));
    const rows = memberVaultRows.parse(await queryRows(this.database, LOAD, [communityId, userIds]));
    for (const { userId, vault } of rows) known.get(userId)?.push(vault);
    return new EvaluatedVaults(this.database, communityId, known);
  }
}

/** The vaults of the members of one evaluation. Vaults that another evaluation adds meanwhile are not ended by this one. */
class EvaluatedVaults {
  private readonly members = new Map<string, EvaluatedMember>();

  constructor(
    private readonly database: Database,
    private readonly communityId: string,
    private readonly known: ReadonlyMap<string, readonly string[]>,
  ) {}

  find(userId: string): MemberVaults {
    const { denied } = this.getMember(userId);
    return {
      known: this.known.get(userId) ?? [],
      claim: (vaults) => this.claim(userId, vaults),
      deny: (vaults) => {
        for (const vault of vaults) denied.add(vault);
      },
    };
  }

  /**
   * Ends the vaults that the registry denied to a rule and that counted for none. Those of a member stay as long as a rule that
   * counts vaults is undetermined.
   */
  async close(
    rules: readonly TokenGatingRule[],
    judged: readonly { readonly userId: string; readonly verdicts: readonly Verdict[] }[],
  ): Promise<void> {
    const ended = judged.flatMap(({ userId, verdicts }) => {
      const { counted, denied } = this.getMember(userId);
      const vaults = [...denied].filter((vault) => !counted.has(vault));
      return vaults.length === 0 || rules.some((rule, at) => countsVaults(rule) && isUnknown(verdicts[at]))
        ? []
        : vaults.map((vault) => ({ vault, userId }));
    });
    if (ended.length === 0) return;
    const columns = [ended.map(({ vault }) => vault), ended.map(({ userId }) => userId)];
    await queryRows(this.database, RELEASE, [this.communityId, ...columns]);
  }

  /** Each vault is asked for once, because rules that count the same vaults claim them at the same time. */
  private async claim(userId: string, vaults: readonly string[]): Promise<string[]> {
    const { claims, counted } = this.getMember(userId);
    const unclaimed = vaults.filter((vault) => !claims.has(vault));
    if (unclaimed.length > 0) {
      const owned = this.claimRows(userId, unclaimed);
      for (const vault of unclaimed)
        claims.set(
          vault,
          owned.then((own) => own.has(vault)),
        );
    }
    const answers = await Promise.all(vaults.map(async (vault) => claims.get(vault)));
    const own = vaults.filter((_, at) => answers[at]);
    for (const vault of own) counted.add(vault);
    return own;
  }

  private async claimRows(userId: string, vaults: readonly string[]): Promise<Set<string>> {
    const parameters = [this.communityId, userId, vaults];
    const statements = [CLAIM, FIND_OWN].map((sql) => ({ sql, parameters }));
    const [, rows] = await this.database.queryTogether(statements);
    return new Set(vaultRows.parse(rows).map(({ vault }) => vault));
  }

  private getMember(userId: string): EvaluatedMember {
    let member = this.members.get(userId);
    if (!member) {
      const known = (this.known.get(userId) ?? []).map((vault) => [vault, Promise.resolve(true)] as const);
      member = { claims: new Map(known), counted: new Set(), denied: new Set() };
      this.members.set(userId, member);
    }
    return member;
  }
}

/** What an evaluation knows of the vaults of one member. */
interface EvaluatedMember {
  /** Whether a vault counts for the member: decided, or being claimed. */
  readonly claims: Map<string, Promise<boolean>>;
  /** Vaults that count for the member and that a rule has counted. */
  readonly counted: Set<string>;
  /** Vaults of the member that the registry denied to a rule. */
  readonly denied: Set<string>;
}

/** A rule that cannot tell for the moment which vaults count. */
const isUnknown = (verdict: Verdict | undefined): boolean =>
  verdict?.kind === 'undetermined' && !areUnreadVaults(verdict.failure);
