import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { correctMemberCounts, countMembers } from '../access/communities.queries.js';

/** Bounds of one request. */
const MAX_COMMUNITIES = 100;
const MAX_MEMBERS = 200_000;

interface CountedCommunity {
  readonly id: string;
  readonly memberCount: number;
}

/** Recounts the members of communities, to repair stored counts that are wrong despite being updated on every change. */
@Injectable()
export class MemberCountService {
  constructor(private readonly database: Database) {}

  /** @returns the same communities; those within the bounds of one request have correct counts */
  async recount<C extends CountedCommunity>(communities: readonly C[]): Promise<C[]> {
    const wrongIds = await this.findWrongCounts(takeWithinBounds(communities));
    if (wrongIds.length === 0) return [...communities];
    const corrected = await this.database.transaction((manager) => correctMemberCounts(manager, wrongIds));
    const byId = new Map(corrected.map(({ id, memberCount }) => [id, memberCount]));
    return communities.map((community) => ({
      ...community,
      memberCount: byId.get(community.id) ?? community.memberCount,
    }));
  }

  /** Counts without a lock: nearly always all counts are correct, and writers must not wait. */
  private async findWrongCounts(ids: readonly string[]): Promise<string[]> {
    const counts = await countMembers(this.database, ids);
    return counts.filter(({ stored, counted }) => stored !== counted).map(({ id }) => id);
  }
}

function takeWithinBounds(communities: readonly CountedCommunity[]): string[] {
  let members = 0;
  const end = communities.findIndex(({ memberCount }) => (members += memberCount) > MAX_MEMBERS);
  const limit = Math.min(MAX_COMMUNITIES, end === -1 ? communities.length : Math.max(end, 1));
  return communities.slice(0, limit).map(({ id }) => id);
}
