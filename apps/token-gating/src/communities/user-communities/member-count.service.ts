import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';

/** Communities, and members of them together, that one request counts. */
const MOST_COMMUNITIES = 100;
const MOST_MEMBERS = 200_000;

const COUNTED = `
  SELECT c.id, c.member_count AS stored,
    (SELECT count(*)::int FROM token_gating.community_members m WHERE m.community_id = c.id) AS counted
  FROM token_gating.communities c WHERE c.id = ANY($1::text[])`;
// In the order of their ids: whoever locks several locks them so.
const LOCK = 'SELECT FROM token_gating.communities WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE';
const RENEW = `
  UPDATE token_gating.communities c SET member_count = n.counted FROM (${COUNTED}) n
  WHERE c.id = n.id AND n.stored <> n.counted RETURNING c.id, c.member_count AS "memberCount"`;

const counted = z.array(z.object({ id: z.string(), stored: z.int(), counted: z.int() }));
const renewed = z.array(z.object({ id: z.string(), memberCount: z.int() }));

interface Counted {
  readonly id: string;
  readonly memberCount: number;
}

/** Counts the members of communities again. Every change of membership keeps the count: this mends what else went wrong. */
@Injectable()
export class MemberCountService {
  constructor(private readonly database: Database) {}

  /** @returns the same communities with the counts of now, as far as one request may count */
  async recount<C extends Counted>(communities: readonly C[]): Promise<C[]> {
    const wrong = await this.findWrong(countable(communities));
    if (wrong.length === 0) return [...communities];
    const counts = await this.database.transaction(async (manager) => {
      await queryRows(manager, LOCK, [wrong]);
      return renewed.parse(await queryRows(manager, RENEW, [wrong]));
    });
    const byId = new Map(counts.map(({ id, memberCount }) => [id, memberCount]));
    return communities.map((one) => ({ ...one, memberCount: byId.get(one.id) ?? one.memberCount }));
  }

  /** Looked at without a lock: almost always there is nothing to write, and nobody has to wait for a count. */
  private async findWrong(ids: readonly string[]): Promise<string[]> {
    const found = counted.parse(await this.database.query(COUNTED, [ids]));
    return found.flatMap((one) => (one.stored === one.counted ? [] : [one.id]));
  }
}

function countable(communities: readonly Counted[]): string[] {
  let members = 0;
  const end = communities.findIndex(({ memberCount }) => (members += memberCount) > MOST_MEMBERS);
  const most = Math.min(MOST_COMMUNITIES, end === -1 ? communities.length : Math.max(end, 1));
  return communities.slice(0, most).map(({ id }) => id);
}
