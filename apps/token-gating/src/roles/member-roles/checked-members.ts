import { MINUTE_MS } from '@app/common';
import type { CommunityEvent } from '@app/dto';
import { createNameBasedUuid } from '../../communities/events/create-community-event.js';

const QUARTER_HOUR_MS = 15 * MINUTE_MS;
/** Members that are remembered for a quarter-hour. */
const MAX_MEMBERS = 50_000;
/** A community gets at most this share of the places that are left, so that many large ones leave some to others. */
const SHARE = 1 / 10;
/** The most members of one community, where no other community has members. */
export const MAX_MEMBERS_PER_COMMUNITY = MAX_MEMBERS * SHARE;

/** Collects the members whose roles were asked for, once for each quarter-hour. Its memory is bounded. */
export class CheckedMembers {
  private quarter = 0;
  private count = 0;
  /** The members of this quarter-hour by community, those that were taken included. */
  private readonly members = new Map<string, Set<string>>();
  private waiting: CommunityEvent[] = [];

  /** @param onDropped called with the number of members that are not counted */
  constructor(private readonly onDropped: (members: number) => void) {}

  /** @param now in milliseconds since 1970 */
  add(communityId: string, userId: string, now: number): void {
    const quarter = Math.floor(now / QUARTER_HOUR_MS);
    if (quarter !== this.quarter) this.begin(quarter);
    const members = this.members.get(communityId) ?? new Set();
    if (members.has(userId)) return;
    const left = MAX_MEMBERS - this.count;
    if (members.size >= Math.ceil((left + members.size) * SHARE)) {
      this.onDropped(1);
      return;
    }
    this.members.set(communityId, members.add(userId));
    this.count += 1;
    this.waiting.push(toEvent(communityId, userId, quarter));
  }

  /** Removes and returns the oldest events. Those of other instances have the same ids. */
  take(limit: number): CommunityEvent[] {
    return this.waiting.splice(0, limit);
  }

  private begin(quarter: number): void {
    this.quarter = quarter;
    this.count = 0;
    this.members.clear();
    // The events of at most two quarter-hours wait.
    if (this.waiting.length < MAX_MEMBERS) return;
    this.onDropped(this.waiting.length);
    this.waiting = [];
  }
}

const toEvent = (communityId: string, userId: string, quarter: number): CommunityEvent => ({
  id: createNameBasedUuid('member checked', communityId, userId, String(quarter)),
  at: new Date(quarter * QUARTER_HOUR_MS).toISOString(),
  type: 'member.checked',
  communityId,
  userId,
});
